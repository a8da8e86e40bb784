import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cachesCommand } from './caches-command.js'
import { doctorCommand } from './doctor-command.js'
import { explainCommand } from './explain-command.js'
import { handOverCommand } from './hand-over-command.js'
import { invalidateCommand } from './invalidate-command.js'
import { printCommand } from './print-command.js'
import { runCommandLine } from './run-command-line.js'
import { suggestCommand } from './suggest-command.js'
import { warmCommand } from './warm-command.js'

async function run(args: readonly string[], folder = '.') {
  const [lines, errors]: [string[], string[]] = [[], []]
  const code = await runCommandLine(args, {
    line: (text) => void lines.push(text),
    errorLine: (text) => void errors.push(text),
    folder,
    environment: {},
  })
  return { code, output: lines.join('\n'), errors: errors.join('\n') }
}

const commands = {
  doctor: doctorCommand,
  caches: cachesCommand,
  explain: explainCommand,
  invalidate: invalidateCommand,
  warm: warmCommand,
  'hand-over': handOverCommand,
  print: printCommand,
  suggest: suggestCommand,
}

describe('runCommandLine', () => {
  it.each(Object.entries(commands))('describes %s', async (name, { usage }) => {
    expect(usage).toMatch(new RegExp(`^Usage: model-cache ${name}( |$)`))
    const described = { code: 0, output: usage, errors: '' }
    expect(await run([name, '--help'])).toEqual(described)
    expect(await run([name, 'argument', '-h'])).toEqual(described)
  })

  it('lists its commands', async () => {
    const { output: usage } = await run(['--help'])
    for (const name of Object.keys(commands)) expect(usage).toMatch(new RegExp(`^  ${name} `, 'm'))
    expect(await run(['-h'])).toEqual({ code: 0, output: usage, errors: '' })
    expect(await run(['unknown', '--help'])).toEqual({ code: 0, output: usage, errors: '' })
    expect(await run([])).toEqual({ code: 2, output: '', errors: usage })
    for (const name of ['docter', 'toString'])
      expect(await run([name])).toEqual({
        code: 2,
        output: '',
        errors: `There is no command "${name}".\n\n${usage}`,
      })
  })

  it.each([
    [['caches'], 'Name the server with --valkey valkey://host:6379, or set VALKEY_URL.'],
    [['caches', '--valkey', 'http://cache'], expect.stringContaining('"valkey.url"')],
    [['caches', '--primary', 'shop'], expect.stringMatching(/^--primary needs --sentinels/)],
    [['caches', '--vlakey'], expect.stringMatching(/^Unknown option '--vlakey'/)],
    [['caches', 'Lot'], expect.stringMatching(/^Unexpected argument 'Lot'/)],
    [['explain', 'Lot'], explainCommand.usage],
    [['explain', 'Lot', 'code', '7', '8'], explainCommand.usage],
    [['invalidate'], invalidateCommand.usage],
    [['invalidate', '--all'], invalidateCommand.usage],
    [['invalidate', 'Lot'], invalidateCommand.usage],
    [['invalidate', 'Lot', '7', '--all'], invalidateCommand.usage],
    [['invalidate', 'Lot', '--all', '--lookup', 'code'], invalidateCommand.usage],
    [['print', 'Lot', 'Bid'], printCommand.usage],
    [['suggest'], suggestCommand.usage],
    [['warm'], expect.stringMatching(/^Name the server/)],
  ])('refuses %j', async (args, errors) => {
    expect(await run(args)).toEqual({ code: 2, output: '', errors })
  })

  it('fails with the message alone if the store does not answer', async () => {
    const { code, errors } = await run(['caches', '--valkey', 'valkey://127.0.0.1:1'])
    expect(code).toBe(1)
    expect(errors).toMatch(/^model-cache: valkey: .*ECONNREFUSED[^\n]*$/)
  })

  it('shows where an unexpected error comes from', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'model-cache-cli-'))
    mkdirSync(join(folder, 'db/lot.prisma'), { recursive: true })
    const { code, errors } = await run(['print', 'Lot', '--schema', 'db'], folder)
    rmSync(folder, { recursive: true })
    expect(code).toBe(2)
    expect(errors).toMatch(/^Error: EISDIR.*\n +at /)
  })

  it.each([
    ['without a code', new Error('the terminal is gone'), /^Error: the terminal is gone\n +at /],
    [
      'whose code is a number',
      new DOMException('the terminal is gone', 'AbortError'),
      /AbortError.*: the terminal is gone/,
    ],
  ])('shows where an error %s comes from', async (_, error, shown) => {
    const errors: string[] = []
    const code = await runCommandLine(['--help'], {
      line: () => {
        throw error
      },
      errorLine: (text) => void errors.push(text),
      folder: '.',
      environment: {},
    })
    expect(code).toBe(2)
    expect(errors).toEqual([expect.stringMatching(shown)])
  })
})
