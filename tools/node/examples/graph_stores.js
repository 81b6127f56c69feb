// Graph stores of other frameworks as thin classes, without the frameworks.
//
//     node graph_stores.js DIRECTORY
//
// PropertyGraph has the methods of LangChain's graph stores, TripletStore those of LlamaIndex's:
// they are handed to whatever expects one.
'use strict';
const plexus = require('plexus');

class PropertyGraph {
  constructor(graph) {
    this.graph = graph;
  }
  // Documents have `nodes` {id, type, properties} and `relationships` {source, target, type,
  // properties}, whose ends are nodes.
  addGraphDocuments(documents) {
    const records = [];
    for (const {nodes, relationships} of documents) {
      for (const {id, type, properties} of nodes)
        records.push({...properties, node: String(id), kind: type});
      for (const {source, target, type, properties} of relationships)
        records.push({...properties, edge: [String(source.id), String(target.id)], kind: type});
    }
    return this.graph.importRecords(records);
  }
  async query(words, params) {
    return (await this.graph.find({...params, words})).results;
  }
  getStructuredSchema() {
    return this.graph.kinds();
  }
}

// Triplets [subject, relation, object].
class TripletStore {
  constructor(graph) {
    this.graph = graph;
  }
  upsertTriplet(source, kind, target) {
    return this.graph.link({source, kind, target});
  }
  delete(source, kind, target) {
    return this.graph.unlink({source, kind, target});
  }
  // [relation, object] of each edge that leaves the subject.
  async get(subject) {
    const {neighbors} = await this.graph.neighbors({key: subject, direction: 'out'});
    return neighbors.map((edge) => [edge.kind, edge.key]);
  }
  // The edges around each subject, as far as `depth` away.
  async getRelMap(subjects, depth = 2) {
    const found = {};
    for (const subject of subjects) {
      const {edges} = await this.graph.neighborhood({from: [subject], hops: depth});
      found[subject] = edges.map((edge) => [edge.source, edge.kind, edge.target]);
    }
    return found;
  }
}

async function main(directory) {
  const graph = plexus.open(directory);
  try {
    const store = new TripletStore(graph);
    await store.upsertTriplet('engine', 'part_of', 'plexus');
    await store.upsertTriplet('storage', 'depends_on', 'engine');
    await store.upsertTriplet('storage', 'part_of', 'server');
    await store.delete('storage', 'part_of', 'server');
    console.log(JSON.stringify([await store.get('storage'), await store.getRelMap(['storage'])]));
  } finally {
    await graph.close();
  }
}

module.exports = {PropertyGraph, TripletStore};
if (require.main === module) main(process.argv[2]);
