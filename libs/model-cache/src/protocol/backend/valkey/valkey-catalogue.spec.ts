import type { CatalogueCheckRequest, PiggybackedRequests } from './piggybacked-requests.js'
import type { CatalogueAnswer, CatalogueRequest } from '../store.js'
import { askCatalogue, entriesIn } from './valkey-catalogue.js'
import type { ValkeyClient } from './valkey-client.js'
import type { ScriptRunner } from './valkey-guards.js'

const carried: CatalogueAnswer = { epoch: 'e', version: 'e.1', nowMs: 7, entries: undefined }
const known = { known: 'e.1', isWriter: true }

/** A store whose catalogue has one entry, and asks what it knows with a fence. */
function open(isCluster = false) {
  const questions: CatalogueCheckRequest[] = []
  const asked: (readonly string[])[] = []
  const runner: ScriptRunner = {
    client: { isCluster } as ValkeyClient,
    questions: {
      ask: async (question: CatalogueCheckRequest) => {
        questions.push(question)
        return carried
      },
    } as unknown as PiggybackedRequests,
    onForeignKeys: () => {},
    acknowledge: async (script, keys, args) => {
      asked.push([script, ...keys, ...args.map(String)])
      const isKnown = args[0] === 'e.1'
      return [0, ['e', 'e.1', '8', ...(isKnown ? [] : [['Lot:a:p', '1;2;text', '=epoch', 'e']])]]
    },
  }
  const ask = (request: CatalogueRequest) => askCatalogue(runner, 'catalogue', request)
  return { ask, asked, questions }
}

describe('a question about the catalogue', () => {
  it.each([
    {},
    { put: new Map<string, string>() },
    { remove: [] },
    { put: new Map<string, string>(), remove: [], replicas: 0 },
  ])('may be carried by a fence if it asks only whether anything has changed: %j', async (request) => {
    const { ask, asked, questions } = open()
    expect(await ask({ ...known, ...request })).toBe(carried)
    expect(questions).toEqual([{ keys: ['catalogue', 'catalogue:epoch'], known: 'e.1' }])
    expect(asked).toEqual([])
  })

  const entry = { field: 'Lot:a:p', text: 'text', addedMs: 1, putMs: 2 }

  it.each([
    ['that is of no writer', { isWriter: false }],
    ['that knows nothing', { known: '' }],
    ['with entries to add', { put: new Map([['Lot:a:p', 'text']]) }],
    ['with entries to remove', { remove: [entry] }],
    ['that replicas acknowledge', { replicas: 1 }],
  ])('%s is asked alone', async (_, request) => {
    const { ask, asked, questions } = open()
    expect(await ask({ ...known, ...request })).toMatchObject({ epoch: 'e', version: 'e.1', nowMs: 8 })
    expect([asked.length, questions]).toEqual([1, []])
  })

  it('is answered with all entries if the version is not known', async () => {
    const { ask } = open()
    expect((await ask({ ...known, known: '' })).entries).toEqual([entry])
    expect((await ask({ ...known, isWriter: false })).entries).toBeUndefined()
  })

  it('is sent with whether the caller writes, and with what to remove and to add', async () => {
    const { ask, asked } = open(true)
    const seed = expect.any(String)
    const put = new Map([
      ['a', 'text-of-a'],
      ['b', 'text-of-b'],
    ])
    await ask({ known: '', isWriter: false })
    await ask({ ...known, replicas: 2 })
    await ask({ ...known, put, remove: [entry, { ...entry, field: 'Lot:b:p', putMs: 3 }] })
    const script = ['catalogue', 'catalogue', 'catalogue:epoch', 'catalogue:servers']
    const [removed, added] = ['Lot:a:p 2 Lot:b:p 3', 'a text-of-a b text-of-b'].map((words) =>
      words.split(' '),
    )
    expect(asked).toEqual([
      [...script, '', seed, '0', '0', '0'],
      [...script, 'e.1', seed, '1', '1', '0'],
      [...script, 'e.1', seed, '1', '0', '2', ...removed!, ...added!],
    ])
    expect(asked[0]![4]).not.toBe(asked[1]![4])
  })
})

describe('the entries of a catalogue', () => {
  it('are the fields of its hash, without its own and damaged ones', () => {
    const fields = ['a', '10;20;te;xt\nof a', '=version', '1;2;x', 'b', 'damaged', 'c', '0;3;', 'd', 'x1;2;d']
    expect(entriesIn(fields)).toEqual([
      { field: 'a', text: 'te;xt\nof a', addedMs: 10, putMs: 20 },
      { field: 'c', text: '', addedMs: 0, putMs: 3 },
    ])
  })
})
