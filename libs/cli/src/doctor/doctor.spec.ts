import { jest } from '@jest/globals'
import { diagnose, sentenceOf } from './doctor.js'
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

  it('keeps no timer of a check that has ended', async () => {
    jest.useFakeTimers()
    try {
      await diagnose([{ id: 'a', run: () => [] }])
      expect(jest.getTimerCount()).toBe(0)
    } finally {
      jest.useRealTimers()
    }
  })
})

describe('sentenceOf', () => {
  it.each([
    [new Error('no answer'), 'no answer.'],
    [new Error('It failed!'), 'It failed!'],
    [new Error('Why? Nobody knows'), 'Why? Nobody knows.'],
    [new Error('model-cache: valkey: no connection.'), 'no connection.'],
    [new Error('model-cache: no URL'), 'no URL.'],
    [new Error('see model-cache: valkey: it'), 'see model-cache: valkey: it.'],
    [new Error('one\n\n  two'), 'one two.'],
    ['a text', 'a text.'],
    [
      new AggregateError([new Error('refused ::1'), new Error('refused 127.0.0.1')]),
      'refused ::1.; refused 127.0.0.1.',
    ],
    [new AggregateError([new Error('refused')], 'none answers'), 'none answers.'],
    [new Error(''), '.'],
  ])('of %o is %j', (error, sentence) => {
    expect(sentenceOf(error)).toBe(sentence)
  })
})

describe('fault', () => {
  it('has a remedy if it is given one', () => {
    const common = { id: 'a', severity: 'note', found: 'odd', meaning: 'little' }
    expect(fault('note', 'a', 'odd', 'little')).toStrictEqual(common)
    expect(fault('note', 'a', 'odd', 'little', 'mend it')).toStrictEqual({ ...common, remedy: 'mend it' })
  })
})
