import { LargePayloads } from './large-payloads.js'
import { silentObserver } from './observer.js'

describe('LargePayloads', () => {
  it('counts large rows and large lists apart, and warns once of each with its remedy', () => {
    const counted: string[] = []
    const warnings: string[] = []
    const observer = (name: string) => ({
      ...silentObserver.forModel(name),
      largePayloads: () => void counted.push(name),
    })
    const log = { warn: (message: string) => void warnings.push(message), info: () => {} }
    const rows = new LargePayloads('Post', 1_000, observer('rows'), log)
    const lists = rows.ofLists('Post.ofAuthor', observer('lists'))
    rows.notice(999)
    lists.notice(999)
    rows.notice(1_000)
    lists.notice(1_500)
    lists.notice(2_000)
    expect(counted).toEqual(['rows', 'lists', 'lists'])
    expect(warnings).toEqual([
      expect.stringMatching(/^ModelCache "Post": a row takes 1000 bytes, .* with `select`/),
      expect.stringMatching(/^ModelCache "Post.ofAuthor": a list takes 1500 bytes, .* Give it a `limit`/),
    ])
  })
})
