import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Finding } from './doctor/finding.js'
import { UsageError } from './command.js'
import { doctorCommand } from './doctor-command.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-cache-doctor-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function project(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** Gives the project a package of this repository. */
function install(name: string): void {
  const path = createRequire(import.meta.url).resolve(name)
  mkdirSync(join(folder, 'node_modules', dirname(name)), { recursive: true })
  symlinkSync(/^.*node_modules/.exec(path)![0] + `/${name}`, join(folder, 'node_modules', name))
}

async function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const lines: string[] = []
  const code = await doctorCommand.run(args, { line: (text) => void lines.push(text), folder, environment })
  return { code, output: stripVTControlCharacters(lines.join('\n')) }
}

async function findingsOf(args: readonly string[], environment?: Readonly<Record<string, string>>) {
  const { output } = await run(['--json', ...args], environment)
  const { findings } = JSON.parse(output) as { findings: readonly Finding[] }
  return new Map(findings.map((finding) => [finding.id, finding]))
}

describe('doctorCommand', () => {
  it('prints what it finds', async () => {
    const { code, output } = await run([])
    expect(code).toBe(0)
    expect(output).toMatch(/^Valkey\n  note     Valkey was not checked: there is no URL\. \[valkey\.url\]\n/)
    expect(output).toMatch(/\n0 errors, \d+ warnings?$/)
  })

  it('prints it as JSON, and fails if there are errors', async () => {
    const { code, output } = await run(['--json', '--valkey', 'valkey://127.0.0.1:1'])
    expect(code).toBe(1)
    expect(JSON.parse(output)).toEqual({
      version: 1,
      findings: expect.arrayContaining([
        expect.objectContaining({ id: 'valkey.reachable', severity: 'error' }),
      ]),
      summary: expect.objectContaining({ error: 1 }),
    })
  })

  it.each([
    ['an option', ['--database', 'mysql://127.0.0.1:1/option'], 'postgresql://127.0.0.1:1/x', 'mysql'],
    ['the environment', [], 'mysql://127.0.0.1:1/variable', 'mysql'],
    ['prisma.config.ts, if the environment has none', [], '', 'postgres'],
  ])('checks the database of %s', async (_, args, DATABASE_URL, kind) => {
    install('@prisma/config')
    project({ 'prisma.config.ts': `export default { datasource: { url: 'postgresql://127.0.0.1:1/shop' } }` })
    const findings = await findingsOf(args, { DATABASE_URL })
    expect(findings.get(`${kind}.reachable`)?.severity).toBe('error')
  })

  it('checks no database if none is named', async () => {
    install('@prisma/config')
    project({ 'prisma.config.ts': `export default { datasource: { url: '' } }` })
    const findings = await findingsOf([])
    expect(findings.get('postgres.url')?.severity).toBe('note')
  })

  it('does without a schema, unless one is named', async () => {
    expect((await run([])).code).toBe(0)
    await expect(run(['--schema', 'missing.prisma'])).rejects.toThrow(UsageError)
  })
})
