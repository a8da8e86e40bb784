/** The process that measures one strategy, with VALKEY_URL of an empty database. */
import { Redis } from 'ioredis'
import { answerParent } from '../measure/answer-parent.ts'
import type { MatrixTask } from './protocol.ts'
import { runStrategy } from './run-strategy.ts'
import { allStrategies } from './strategies/all-strategies.ts'

answerParent(async (task: MatrixTask) => {
  const url = process.env.VALKEY_URL!
  const client = new Redis(url)
  const strategy = allStrategies.find(({ name }) => name === task.strategy)!
  return runStrategy(strategy, task, { url, empty: () => client.flushdb() })
})
