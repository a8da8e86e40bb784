import type { SuiteEntry } from './harness/suite.ts'
import { storm } from './suites/storm/storm.ts'

/** What we hold ourselves to (`suites/`), and what others claimed beside what we measure (`published/`). */
export const suites: readonly SuiteEntry[] = [
  {
    name: 'codec',
    question: 'How long does one typed row take into and out of its stored form, beside JSON and others?',
    isSteady: true,
    load: async () => (await import('./suites/codec/codec-suite.ts')).codecSuite,
  },
  {
    name: 'formats',
    question: 'What do 100,000 trips cost as JSON, as rows of this library and in six binary formats?',
    load: async () => (await import('./published/formats/formats-suite.ts')).formatsSuite,
  },
  storm,
  {
    name: 'cluster',
    question: 'What do 5,350 reads in one tick cost on a cluster of three nodes, by number of buckets?',
    load: async () => (await import('./suites/cluster/cluster-suite.ts')).clusterSuite,
  },
  {
    name: 'observe',
    question: 'What do the interceptor and the metrics cost a GraphQL request?',
    load: async () => (await import('./suites/observe/observe-suite.ts')).observeSuite,
  },
  {
    name: 'soak',
    question:
      'Do hours of work over an unreliable server leave memory, handles, keys, errors or stale rows behind?',
    load: async () => (await import('../../../test/torture/soak/soak.ts')).soakSuite,
  },
  {
    name: 'chaos',
    question: 'Does any read return a stale row while pods, connections and servers fail at random?',
    load: async () => (await import('../../../test/torture/chaos/chaos.ts')).chaosSuite,
  },
  {
    name: 'chaos-cluster',
    question: 'Does any read return a stale row while nodes of a cluster fail and are replaced as well?',
    load: async () => (await import('../../../test/torture/chaos/chaos.ts')).clusterChaosSuite,
  },
  {
    name: 'follow',
    question:
      'How late is a write outside Prisma invalidated, and is any read older than that, under faults as well?',
    load: async () => (await import('../../../test/torture/follow/follow.ts')).followSuite,
  },
  {
    name: 'write',
    question: 'What do fences and leases cost, and scripts beside single commands?',
    isSteady: true,
    load: async () => (await import('./suites/write/write-suite.ts')).writeSuite,
  },
  {
    name: 'ladder',
    question: 'What does an HTTP service gain by each step from a naive one to this library?',
    load: async () => (await import('./published/ladder/ladder-suite.ts')).ladderSuite,
  },
  {
    name: 'page',
    question:
      'What does a page of a GraphQL application cost with Prisma, with other caches, and with this library?',
    load: async () => (await import('./suites/page/page-suite.ts')).pageSuite,
  },
  {
    name: 'lists',
    question:
      'What do pages with lists cost, and which reads miss a new row, beside Prisma and other caches?',
    load: async () => (await import('../../../test/torture/lists/lists.ts')).listsSuite,
  },
  {
    name: 'specialise',
    question: 'What does it save to decide once, at registration, instead of at each call?',
    load: async () => (await import('./suites/specialise/specialise-suite.ts')).specialiseSuite,
  },
  {
    name: 'matrix',
    question: 'What do 50 to 5,350 reads in one tick cost, by parser, memory layer and hit rate?',
    load: async () => (await import('./published/matrix/matrix-suite.ts')).matrixSuite,
  },
  {
    name: 'roundtrip',
    question:
      'How many rows a second go to bytes and back, with which latency, and which parser suits which size?',
    load: async () => (await import('./published/roundtrip/roundtrip-suite.ts')).roundtripSuite,
  },
  {
    name: 'walkers',
    question:
      'What does it cost to restore dates and decimals, by walk and date parser, beside the parse alone?',
    load: async () => (await import('./published/walkers/walkers-suite.ts')).walkersSuite,
  },
  {
    name: 'allocations',
    question: 'How many objects and bytes do a read, a fill and a row allocate, and in which file?',
    isSteady: true,
    load: async () => (await import('./suites/allocations/allocations-suite.ts')).allocationsSuite,
  },
  {
    name: 'start',
    question: 'What does each model add to the start of an application, and to the first read after it?',
    load: async () => (await import('./suites/start/start-suite.ts')).startSuite,
  },
  {
    name: 'scale',
    question: 'How does the cost of a read grow with rows, models, reads a tick, payload and cluster nodes?',
    load: async () => (await import('./suites/scale/scale-suite.ts')).scaleSuite,
  },
]
