// What a bundler knows and a compiler does not.
declare module 'graphology-layout-forceatlas2/iterate.js' {
  export default function iterate(settings: object, nodes: Float32Array, edges: Float32Array): object;
}
declare const LAYOUT_WORKER: string;
