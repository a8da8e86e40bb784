import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installParts } from '../../../../scripts/install-parts.ts'
import type { Suite } from './comparison.ts'

const PART = 'apps/bench/packages'

/** Installs what only the bench needs, if it has packages of the suite. @throws Error if npm cannot install */
export function installPeers({ packages }: Suite): void {
  const manifest = readFileSync(join(import.meta.dirname, '../../packages/package.json'), 'utf8')
  const { dependencies } = JSON.parse(manifest) as { dependencies: object }
  if (packages.some((name) => name in dependencies)) installParts(PART)
}
