import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { builtLibrary } from '../support/build-library.js'
import { startValkey, type ValkeyServer } from '../support/valkey-server.js'

let library: string
let valkey: ValkeyServer

beforeAll(async () => {
  library = await builtLibrary()
})
beforeEach(async () => {
  valkey = await startValkey()
})
afterEach(() => valkey.stop())

describe.each(['well', 'SIGSTOP', 'SIGKILL'] as const)(
  'an application that closes during a burst',
  (state) => {
    it(`answers all reads, and ends by itself (Valkey: ${state})`, async () => {
      const child = fork(join(import.meta.dirname, 'shutdown.process.mts'), {
        env: { ...process.env, LIBRARY: library, VALKEY_URL: valkey.url },
        execArgv: ['--no-warnings'],
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      })
      const [output, errors, exited] = [text(child.stdout!), text(child.stderr!), once(child, 'exit')]
      await Promise.race([once(child, 'message'), exited])
      if (state !== 'well') await valkey.kill(state)
      child.send('go')
      expect([await errors, ...(await exited)]).toEqual(['', 0, null])
      const { asked, answered, resources } = JSON.parse(await output) as {
        asked: number
        answered: number
        resources: string[]
      }
      expect(answered).toBe(asked)
      // Its own output, and nothing that waits for time or for a server.
      expect(resources.filter((name) => name !== 'PipeWrap' && name !== 'CloseReq')).toEqual([])
    })
  },
)
