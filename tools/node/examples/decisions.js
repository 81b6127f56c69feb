// A graph service of decisions: what a store over NetworkX does, durable, with its history.
//
//     node decisions.js DIRECTORY
'use strict';
const plexus = require('plexus');

class DecisionGraph {
  constructor(directory) {
    this.graph = plexus.open(directory);
  }
  addDecision(key, text, properties) {
    return this.graph.importRecords([{node: key, kind: 'decision', text, ...properties}]);
  }
  linkDecisions(source, target, kind, more) {
    return this.graph.link({source, kind, target, ...more});
  }
  unlinkDecisions(source, target) {
    return this.graph.decisions.unlink({source, target});
  }
  getGraph(key, {hops = 2, kinds} = {}) {
    return this.graph.neighborhood({from: [key], hops, kinds});
  }
  async findPath(from, to) {
    return (await this.graph.path({from, to, direction: 'both'})).paths;
  }
  async getAncestors(key) {
    return (await this.graph.decisions.ancestors({key})).results;
  }
  async getDescendants(key) {
    return (await this.graph.decisions.descendants({key})).results;
  }
  async findContradictions() {
    return (await this.graph.decisions.contradictions()).conflicts;
  }
  async getBlockedChain(key) {
    return (await this.graph.decisions.blocked({keys: [key]})).blocked;
  }
  async computeSalience(top = 10) {
    return (await this.graph.decisions.salience({apply: true, top})).nodes;
  }
}

async function main(directory) {
  const decisions = new DecisionGraph(directory);
  const keys = (rows) => rows.map(({key}) => key).join(' ');
  try {
    await decisions.addDecision('storage', 'Keep the log in RocksDB', {stakes: 'high'});
    await decisions.addDecision('writer', 'One process writes');
    await decisions.addDecision('readers', 'Readers take snapshots');
    await decisions.addDecision('locks', 'Readers take locks');
    await decisions.linkDecisions('writer', 'storage', 'depends_on');
    await decisions.linkDecisions('readers', 'writer', 'depends_on', {weight: '0.8'});
    await decisions.linkDecisions('locks', 'readers', 'contradicts');
    console.log('ancestors', keys(await decisions.getAncestors('readers')));
    console.log('descendants', keys(await decisions.getDescendants('storage')));
    console.log('contradictions', (await decisions.findContradictions()).length);
    console.log('paths', (await decisions.findPath('locks', 'storage')).length);
    console.log('blocked', keys(await decisions.getBlockedChain('readers')));
    console.log('salience', (await decisions.computeSalience())[0].key);
    console.log('nodes', (await decisions.getGraph('readers')).nodes.length);
    await decisions.unlinkDecisions('locks', 'readers');
    console.log('contradictions', (await decisions.findContradictions()).length);
  } finally {
    await decisions.graph.close();
  }
}

module.exports = {DecisionGraph};
if (require.main === module) main(process.argv[2]);
