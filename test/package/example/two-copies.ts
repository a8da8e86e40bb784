/** What scripts/publish/check-package.ts runs where `model-cache` has a copy of the event loop of its own: `forRoot` has to name both. */
import 'reflect-metadata'
import { EventLoopModule } from '@model-cache/event-loop'
import { ModelCacheModule } from 'model-cache'

for (const configure of [() => ModelCacheModule.forRoot({}), () => EventLoopModule.forRoot()]) {
  let problem = new Error('two copies are accepted')
  try {
    configure()
  } catch (error) {
    problem = error as Error
  }
  const places = problem.message.match(/\/node_modules\/@model-cache\/event-loop\//g)
  if (!problem.message.includes('npm ls') || places?.length !== 2) throw problem
}
