import { stripVTControlCharacters } from 'node:util'
import { diagnose } from './doctor/doctor.js'
import { fault, type Finding, ok } from './doctor/finding.js'
import { printDiagnosis } from './print-diagnosis.js'

async function print(...findings: Finding[]): Promise<string> {
  const lines: string[] = []
  const output = { line: (text: string) => void lines.push(text), folder: '.', environment: {} }
  printDiagnosis(await diagnose([{ id: 'valkey.server', run: () => findings }]), output)
  return stripVTControlCharacters(lines.join('\n'))
}

const write = (severity: 'error' | 'warning' | 'note') =>
  fault(severity, 'project.node', 'It writes.', 'Its rows are stale.')

describe('printDiagnosis', () => {
  it('prints findings by group, each with its meaning and its remedy', async () => {
    expect(
      await print(
        fault('note', 'project.node', 'It writes.', 'Rows are stale.'),
        ok('valkey.version', 'It is Valkey 9.'),
        fault('warning', 'valkey.eviction', 'It evicts keys.', 'Rows may be stale.', 'CONFIG SET x y'),
      ),
    ).toBe(`Valkey
  ok       It is Valkey 9.
  warning  It evicts keys. [valkey.eviction]
           Rows may be stale.
           -> CONFIG SET x y

Project
  note     It writes. [project.node]
           Rows are stale.

0 errors, 1 warning`)
  })

  it.each([
    ['valkey', 'Valkey'],
    ['caches', 'Caches'],
    ['follow', 'Following'],
    ['postgres', 'PostgreSQL'],
    ['mysql', 'MariaDB or MySQL'],
    ['project', 'Project'],
    ['results', 'Results of queries'],
    ['later', 'later'],
  ])('prints findings about %s', async (group, title) => {
    expect(await print(ok(`${group}.known`, 'It is so.'))).toBe(
      `${title}\n  ok       It is so.\n\n0 errors, 0 warnings`,
    )
  })

  it('prints all that it counts, and groups without a title after the others', async () => {
    const later = fault('error', 'later.check', 'It fails.', 'Rows are stale.')
    const failed = fault('warning', 'caches', 'No answer.', 'Unknown.')
    const printed = await print(later, ok('project.node', 'Node is 26.'), failed)
    expect(printed).toBe(`Caches
  warning  No answer. [caches]
           Unknown.

Project
  ok       Node is 26.

later
  error    It fails. [later.check]
           Rows are stale.

1 error, 1 warning`)
  })

  it.each([
    [[], '0 errors, 0 warnings'],
    [[write('error'), write('note')], '1 error, 0 warnings'],
    [[write('error'), write('warning'), write('error')], '2 errors, 1 warning'],
    [[write('warning'), write('warning')], '0 errors, 2 warnings'],
  ])('counts errors and warnings (%#)', async (findings, counts) => {
    expect((await print(...findings)).split('\n').at(-1)).toBe(counts)
  })
})
