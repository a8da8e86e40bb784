import {
  chaos,
  clusterChaos,
  encryptedChaos,
  mariadbChaos,
  pgbouncerChaos,
  sqliteChaos,
} from '../../../test/torture/chaos/chaos.ts'
import { follow, mariadbFollow } from '../../../test/torture/follow/follow.ts'
import { lists } from '../../../test/torture/lists/lists.ts'
import { regions } from '../../../test/torture/regions/regions.ts'
import { soak } from '../../../test/torture/soak/soak.ts'
import type { Suite } from './harness/comparison.ts'
import { formats } from './published/formats/formats.ts'
import { ladder } from './published/ladder/ladder.ts'
import { matrix } from './published/matrix/matrix.ts'
import { roundtrip } from './published/roundtrip/roundtrip.ts'
import { walkers } from './published/walkers/walkers.ts'
import { allocations } from './suites/allocations/allocations.ts'
import { atRest } from './suites/at-rest/at-rest.ts'
import { codec } from './suites/codec/codec.ts'
import { coverage } from './suites/coverage/coverage.ts'
import { hot } from './suites/hot/hot.ts'
import { observe } from './suites/observe/observe.ts'
import { page } from './suites/page/page.ts'
import { pays } from './suites/pays/pays.ts'
import { results } from './suites/results/results.ts'
import { cluster } from './suites/scale/cluster.ts'
import { scale } from './suites/scale/scale.ts'
import { start } from './suites/start/start.ts'
import { storm } from './suites/storm/storm.ts'
import { write } from './suites/write/write.ts'

/** What we hold ourselves to (`suites/`), and what others claimed beside what we measure (`published/`). */
export const suites: readonly Suite[] = [
  codec,
  formats,
  storm,
  cluster,
  hot,
  atRest,
  observe,
  soak,
  chaos,
  clusterChaos,
  encryptedChaos,
  pgbouncerChaos,
  mariadbChaos,
  sqliteChaos,
  follow,
  mariadbFollow,
  regions,
  write,
  ladder,
  page,
  pays,
  coverage,
  results,
  lists,
  matrix,
  roundtrip,
  walkers,
  allocations,
  start,
  scale,
]
