import { suites } from '../suites.ts'
import { commands, usage } from './commands.ts'

describe('usage', () => {
  it('has a line for each suite and each command', () => {
    const lines = usage().split('\n')
    for (const { name, question } of suites) {
      expect(lines.filter((line) => line.includes(` ${name} `) && line.endsWith(question))).toHaveLength(1)
    }
    for (const { usage: words, purpose } of commands) {
      expect(lines).toContain(`npm run bench -- ${words}`)
      expect(lines.filter((line) => line.endsWith(purpose))).toHaveLength(1)
    }
  })

  it('has no command with the name of a suite', () => {
    const names = [...suites, ...commands].map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
  })
})
