import type { ValkeyNodes } from 'model-cache/internal'
import { answeringNode, answeringNodes, findingLines } from '../../../../../test/support/answering-node.js'
import { checkCluster, missingSlots, unannouncedPrimaries } from './check-cluster.js'

const range = (first: number, last: number, ...nodes: string[]): ValkeyNodes['slots'][number] => ({
  first,
  last,
  nodes,
  unannounced: [],
})
const cluster = (slots: ValkeyNodes['slots'], changed: Partial<ValkeyNodes> = {}): ValkeyNodes => ({
  ...answeringNodes([answeringNode({}, 'a:1'), answeringNode({}, 'b:2')]),
  isCluster: true,
  slots,
  ...changed,
})
const whole = [range(8_192, 16_383, 'b:2'), range(0, 8_191, 'a:1')]
const announce = 'CONFIG SET cluster-announce-ip <address that the application can reach>, on each of them'
const served =
  'ok valkey.cluster-slots: All 16384 slots are served, by 2 primaries, to cluster clients (`client: new Cluster([…])`).'

describe('checkCluster', () => {
  it('says nothing of a single server', () => {
    expect(checkCluster({ ...answeringNodes([]), slots: [range(1, 2, 'a:1')] })).toEqual([])
    expect(missingSlots(answeringNodes([]))).toEqual([])
  })

  it.each([
    ['none', whole, []],
    ['all', [], ['0-16383']],
    ['the first', [range(1, 16_383, 'a:1')], ['0']],
    ['the last', [range(0, 16_382, 'a:1')], ['16383']],
    ['the first two', [range(2, 16_383, 'a:1')], ['0-1']],
    ['some between', [range(300, 16_383, 'a:1'), range(0, 99, 'b:2'), range(100, 297, 'a:1')], ['298-299']],
    ['none, of ranges within others', [range(0, 16_383, 'a:1'), range(5, 9, 'b:2')], []],
  ])('lists the slots that nobody has: %s', (_, slots, missing) => {
    const nodes = cluster(slots)
    expect(missingSlots(nodes)).toEqual(missing)
    expect(findingLines(checkCluster(nodes)).join('\n')).toMatch(
      missing.length > 0
        ? `error valkey.cluster-slots: No node has the slots ${missing.join(', ')}. →`
        : 'ok valkey.cluster-slots: All 16384 slots are served',
    )
  })

  it('names the replicas that announce no address, and not their primaries', () => {
    const slots = [
      { ...range(8_192, 16_383, 'b:2', 'd:4', 'e:5'), unannounced: ['d:4', 'e:5'] },
      range(0, 8_191, 'a:1'),
    ]
    expect(unannouncedPrimaries(cluster(slots))).toEqual([])
    expect(findingLines(checkCluster(cluster(slots)))).toEqual([
      served,
      `warning valkey.cluster-address: These replicas announce no address: d:4, e:5. → ${announce}`,
    ])
  })

  it('names a node once that announces no address, if it is a primary and a replica', () => {
    const slots = [
      { ...range(8_192, 16_383, 'b:2', 'a:1'), unannounced: ['b:2', 'a:1'] },
      { ...range(0, 8_191, 'a:1'), unannounced: ['a:1'] },
    ]
    expect(findingLines(checkCluster(cluster(slots)))).toEqual([
      served,
      `error valkey.cluster-address: These nodes announce no address: b:2, a:1. → ${announce}`,
    ])
  })
})
