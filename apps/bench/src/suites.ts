import type { SuiteEntry } from './harness/suite.ts'
import { formats } from './published/formats/formats.ts'
import { ladder } from './published/ladder/ladder.ts'
import { matrix } from './published/matrix/matrix.ts'
import { roundtrip } from './published/roundtrip/roundtrip.ts'
import { walkers } from './published/walkers/walkers.ts'
import { allocations } from './suites/allocations/allocations.ts'
import { codec } from './suites/codec/codec.ts'
import { observe } from './suites/observe/observe.ts'
import { page } from './suites/page/page.ts'
import { cluster } from './suites/scale/cluster.ts'
import { scale } from './suites/scale/scale.ts'
import { specialise } from './suites/specialise/specialise.ts'
import { start } from './suites/start/start.ts'
import { storm } from './suites/storm/storm.ts'
import { write } from './suites/write/write.ts'

/** What we hold ourselves to (`suites/`), and what others claimed beside what we measure (`published/`). */
export const suites: readonly SuiteEntry[] = [
  codec,
  formats,
  storm,
  cluster,
  observe,
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
  write,
  ladder,
  page,
  {
    name: 'lists',
    question:
      'What do pages with lists cost, and which reads miss a new row, beside Prisma and other caches?',
    load: async () => (await import('../../../test/torture/lists/lists.ts')).listsSuite,
  },
  specialise,
  matrix,
  roundtrip,
  walkers,
  allocations,
  start,
  scale,
]
