import type { SuiteEntry } from './suite.ts'

export const suites: readonly SuiteEntry[] = [
  {
    name: 'codec',
    question:
      'How long does one typed row take into and out of its stored form, beside bare JSON and others?',
    isSteady: true,
    load: async () => (await import('./codec/codec-suite.ts')).codecSuite,
  },
  {
    name: 'formats',
    question:
      'What do 100,000 trips cost as JSON, as rows of this library and in six binary formats, tuned and not?',
    load: async () => (await import('./formats/formats-suite.ts')).formatsSuite,
  },
  {
    name: 'storm',
    question: 'What do 5,350 reads in one tick cost, and who has to wait meanwhile, beside other caches?',
    load: async () => (await import('./storm/storm-suite.ts')).stormSuite,
  },
  {
    name: 'cluster',
    question: 'What do 5,350 reads in one tick cost on a cluster of three nodes, by number of buckets?',
    load: async () => (await import('./cluster/cluster-suite.ts')).clusterSuite,
  },
  {
    name: 'observe',
    question: 'What do the interceptor and the metrics cost a GraphQL request?',
    load: async () => (await import('./observe/observe-suite.ts')).observeSuite,
  },
  {
    name: 'soak',
    question: 'Do minutes of storms over an ill server leave memory, handles or errors behind?',
    load: async () => (await import('./soak/soak-suite.ts')).soakSuite,
  },
  {
    name: 'chaos',
    question: 'Does anybody read an old row while pods, wires and servers fail at random?',
    load: async () => (await import('./chaos/chaos-suite.ts')).chaosSuite,
  },
  {
    name: 'write',
    question:
      'What do fences and leases cost, beside writes and misses without, and scripts beside single commands?',
    isSteady: true,
    load: async () => (await import('./write/write-suite.ts')).writeSuite,
  },
  {
    name: 'ladder',
    question: 'What does an HTTP service gain by each step from a naive one to this library?',
    load: async () => (await import('./ladder/ladder-suite.ts')).ladderSuite,
  },
  {
    name: 'specialise',
    question: 'What does it bring to decide once, at registration, instead of at each call?',
    load: async () => (await import('./specialise/specialise-suite.ts')).specialiseSuite,
  },
  {
    name: 'matrix',
    question: 'What does it cost to read 50 to 5,350 rows in one tick, by parser, memory and hit rate?',
    load: async () => (await import('./matrix/matrix-suite.ts')).matrixSuite,
  },
  {
    name: 'roundtrip',
    question:
      'How many rows a second go to bytes and back, who waits how long, and which parser suits which size?',
    load: async () => (await import('./roundtrip/roundtrip-suite.ts')).roundtripSuite,
  },
  {
    name: 'walkers',
    question:
      'What does it cost to bring dates and decimals back, by walk and date parser, beside the parse alone?',
    load: async () => (await import('./walkers/walkers-suite.ts')).walkersSuite,
  },
  {
    name: 'allocations',
    question: 'How many objects and bytes do a read, a fill and a row allocate, and for whom?',
    isSteady: true,
    load: async () => (await import('./allocations/allocations-suite.ts')).allocationsSuite,
  },
  {
    name: 'scale',
    question: 'How does the cost of a read grow with rows, models, reads a tick, payload and cluster nodes?',
    load: async () => (await import('./scale/scale-suite.ts')).scaleSuite,
  },
]
