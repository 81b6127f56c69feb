// ForceAtlas2 (Jacomy and others, 2014) in a worker: matrices in, positions out, a message for each
// slice of iterations. It draws no random numbers: the same start gives the same end.
import iterate from 'graphology-layout-forceatlas2/iterate.js';

interface Task { nodes: Float32Array; edges: Float32Array; iterations: number; slice: number }

const scope = self as unknown as { onmessage: (event: MessageEvent<Task>) => void; postMessage(value: unknown): void };
scope.onmessage = ({ data }) => {
  const settings = {
    linLogMode: false, outboundAttractionDistribution: false, adjustSizes: false, edgeWeightInfluence: 0,
    scalingRatio: 100, strongGravityMode: false, gravity: 3, slowDown: 1, barnesHutOptimize: data.nodes.length > 4000,
    barnesHutTheta: 0.7,
  };
  for (let done = 0; done < data.iterations;) {
    for (let i = 0; i < data.slice && done < data.iterations; ++i, ++done) iterate(settings, data.nodes, data.edges);
    scope.postMessage({ nodes: data.nodes.slice(), end: done >= data.iterations });
  }
};
