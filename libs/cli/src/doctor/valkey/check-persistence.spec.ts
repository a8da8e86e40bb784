import {
  answeringNode,
  type Answers,
  findingLines,
  forbidden,
} from '../../../../../test/support/answering-node.js'
import { checkPersistence } from './check-persistence.js'
import { infoOf } from './server-facts.js'

const found = async (answers: Answers): Promise<string[]> => {
  const node = answeringNode(answers)
  return findingLines(await checkPersistence(node, await infoOf(node)))
}
const says = (setting: string, value: unknown): unknown[] => [setting, value]
const blind =
  ', and does not let this user run INFO. → ACL SETUSER <user> +info; or ' +
  "CONFIG SET save '' and CONFIG SET appendonly no"

describe('checkPersistence', () => {
  const without = { INFO: forbidden('NOPERM') }
  it.each([
    [
      { save: '60 1', appendonly: 'yes' },
      `warning valkey.persistence: cache:6379 keeps on its disk: snapshots (save 60 1), an append-only file${blind}`,
    ],
    [
      { save: '60 1.5', appendonly: 'no' },
      `warning valkey.persistence: cache:6379 keeps on its disk: snapshots (save 60 1.5)${blind}`,
    ],
    [{ save: '', appendonly: 'no' }, 'ok valkey.persistence: cache:6379 keeps nothing on its disk.'],
    [{ save: '' }, `warning valkey.persistence: cache:6379 may keep its data on its disk${blind}`],
    [{ appendonly: 'no' }, `warning valkey.persistence: cache:6379 may keep its data on its disk${blind}`],
    [
      { save: null, appendonly: 'no' },
      `warning valkey.persistence: cache:6379 may keep its data on its disk${blind}`,
    ],
  ])('of a server without INFO whose settings are %j', async (settings, expected) => {
    const answers = Object.entries(settings).map(([name, value]) => [`CONFIG GET ${name}`, says(name, value)])
    expect(await found({ ...without, CONFIG: [], ...Object.fromEntries(answers) })).toEqual([expected])
  })

  it('takes a reply that is no list as none', async () => {
    expect(await found({ ...without, CONFIG: 'OK' })).toEqual([expect.stringContaining('may keep its data')])
  })
})
