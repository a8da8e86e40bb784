import { type ClientAnswers, postgresClient } from '../../../../test/support/answering-client.js'
import type { AdvisoryLock } from './advisory-lock.js'
import { ReplicationSlot, slotFault } from './replication-slot.js'

const application = 'model-cache follower 1'

/** A slot that nobody reads. */
const slotOf = (change: object = {}) => ({
  pid: null,
  application: null,
  database: 'shop',
  isOfDatabase: true,
  plugin: 'pgoutput',
  isTwoPhase: false,
  status: 'reserved',
  confirmed: '0/30',
  isInConflict: false,
  loss: null,
  ...change,
})

/** Opens a slot. @param found what the server says of it, time after time */
function opening(name: string, ...found: (object | undefined)[]) {
  const answers: ClientAnswers = [
    [
      'FROM pg_replication_slots',
      () => {
        const slot = found.length > 1 ? found.shift() : found[0]
        return slot ? [slot] : []
      },
    ],
    ['CREATE_REPLICATION_SLOT', [{ consistent_point: '1/40' }]],
  ]
  const { asked, client } = postgresClient(answers)
  const lock = { run: (work: (one: typeof client) => unknown) => work(client) } as unknown as AdvisoryLock
  const slot = new ReplicationSlot(name)
  const open = () => slot.open(lock, client, application, (creating) => creating.then((at) => at + 1n))
  return { asked, open, ran: () => asked.filter(([sql]) => !sql.includes('FROM pg_replication_slots')), slot }
}
const created = 0x1_0000_0041n
const warning = (why: string) => [
  {
    table: '',
    isFollowed: true,
    message: `The replication slot "shop" ${why}, and has been created. What was written until now is unknown, so the followed caches were emptied.`,
  },
]

describe('a replication slot', () => {
  it.each([
    ['0/30', 0x30n],
    [null, 0n],
  ])('goes on where it was confirmed: %s', async (confirmed, resumesAt) => {
    const { asked, open } = opening('shop', slotOf({ confirmed }))
    expect(await open()).toEqual({ name: 'shop', isNew: false, resumesAt, problems: [] })
    expect(asked).toEqual([[expect.stringContaining('WHERE s.slot_name = $1'), ['shop']]])
    expect(asked[0]![0]).toContain(`COALESCE((to_jsonb(s) ->> 'conflicting')::bool, false) AS "isInConflict"`)
  })

  const rowsRemoved =
    'was lost, as the primary has removed rows of its catalogue that the slot of this standby needed: set hot_standby_feedback = on'
  it.each([
    [{}, 'was lost, for example to max_slot_wal_keep_size'],
    [{ loss: 'wal_removed' }, 'was lost, because of wal_removed'],
    [{ loss: 'rows_removed' }, rowsRemoved],
    [{ isInConflict: true }, rowsRemoved],
  ])('is created again if it was lost: %j', async (change, why) => {
    const { open, ran } = opening('shop', slotOf({ status: 'lost', ...change }))
    expect(await open()).toEqual({ name: 'shop', isNew: true, resumesAt: created, problems: warning(why) })
    expect(ran()).toEqual([
      ['SELECT pg_drop_replication_slot($1)', ['shop']],
      [expect.stringMatching(/^CREATE_REPLICATION_SLOT/), []],
    ])
  })

  it('is created again if it has changes that PostgreSQL cannot decode', async () => {
    const { open, slot } = opening('shop', slotOf())
    slot.noteEnd(new Error('lost', { cause: Object.assign(new Error('no publication'), { code: '42704' }) }))
    expect(await open()).toMatchObject({
      isNew: true,
      problems: warning('had changes from before its publication was created, which PostgreSQL cannot send'),
    })
    slot.noteEnd(new Error('lost'))
    expect(await open()).toMatchObject({ isNew: false })
  })

  it.each([
    [{ isOfDatabase: false, database: null }, 'is a physical one. Name another one.'],
    [{ isOfDatabase: false }, 'belongs to the database "shop" of the same server. Name another one.'],
    [{ plugin: 'wal2json' }, 'has the plugin wal2json, not pgoutput. Name another one.'],
    [
      { isTwoPhase: true },
      'has two_phase, so that PostgreSQL sends transactions before they are committed. Name another one, or drop it, and the follower ' +
        "creates it: SELECT pg_drop_replication_slot('shop');",
    ],
    [
      { pid: 7, application: 'another' },
      'is read by another program, "another", or by the follower of another Valkey or namespace. Give each of them a slot of its own.',
    ],
  ])('is refused: %j', async (change, message) => {
    const { open } = opening('shop', slotOf(change))
    await expect(open()).rejects.toMatchObject({
      code: 'E_FOLLOW',
      message: `model-cache: the replication slot "shop" ${message}`,
    })
  })

  it('is taken from a follower of before, and from a process that has just ended', async () => {
    const { open, ran } = opening('shop', slotOf({ pid: 7, application }), slotOf({ pid: 7 }), slotOf())
    expect(await open()).toMatchObject({ isNew: false })
    expect(ran()).toEqual([['SELECT pg_terminate_backend($1)', [7]]])
  })

  it('is given up if it stays in use', async () => {
    const { asked, open } = opening('shop', slotOf({ pid: 7 }))
    await expect(open()).rejects.toThrow('the replication slot "shop" is in use by another process.')
    expect(asked.length).toBe(50)
  })
})

describe('slotFault', () => {
  const faultIn = (found: object | undefined, follower: string | undefined) =>
    slotFault(postgresClient([['FROM pg_replication_slots', found ? [found] : []]]).client, 'shop', follower)

  it.each([
    ['there is none', undefined, application],
    ['the slot of the follower that runs', slotOf({ pid: 7, application }), application],
    ['a slot whose reader may be the follower', slotOf({ pid: 7, application: 'another' }), undefined],
  ])('finds none: %s', async (_, found, follower) => {
    expect(await faultIn(found, follower)).toBeUndefined()
  })

  it('finds what is refused, also if the name of the follower is unknown', async () => {
    expect(await faultIn(slotOf({ plugin: 'wal2json' }), undefined)).toEqual({
      problem: 'has the plugin wal2json, not pgoutput',
      remedy: 'Name another one.',
    })
  })
})
