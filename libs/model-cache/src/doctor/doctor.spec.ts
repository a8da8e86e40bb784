import { diagnose } from './doctor.js'
import { fault, ok } from './finding.js'

describe('diagnose', () => {
  it('reports checks that fail or hang, and the findings of all others in their order', async () => {
    const { findings, summary } = await diagnose(
      [
        { id: 'a', run: () => new Promise(() => {}) },
        { id: 'b', run: () => [fault('error', 'b', 'broken', 'much')] },
        {
          id: 'c',
          run() {
            throw new Error('no answer')
          },
        },
        { id: 'd', run: async () => [ok('d', 'fine'), fault('note', 'd.e', 'odd', 'little')] },
      ],
      10,
    )
    expect(findings.map(({ found, id, severity }) => `${severity} ${id}: ${found}`)).toEqual([
      'warning a: The check could not be made: it took longer than 10 ms.',
      'error b: broken',
      'warning c: The check could not be made: no answer.',
      'ok d: fine',
      'note d.e: odd',
    ])
    expect(summary).toEqual({ error: 1, warning: 2, note: 1, ok: 1 })
  })
})
