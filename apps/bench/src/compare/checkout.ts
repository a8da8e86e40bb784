import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { say } from '../progress.ts'
import { linkModules } from './link-modules.ts'
import { outputOf, type Place } from './run-command.ts'

/** Another revision of the repository, in a folder of its own, built. */
export interface Checkout {
  readonly root: string
  readonly commit: string
}

/**
 * Checks a revision out, builds it, hands it to `use`, and removes it, whatever happens.
 *
 * @throws when git knows no such revision, or it has no bench, or does not build
 */
export async function withCheckout<T>(
  here: Place,
  revision: string,
  use: (checkout: Checkout) => Promise<T>,
): Promise<T> {
  const commit = await commitOf(here, revision)
  const root = mkdtempSync(join(tmpdir(), 'model-cache-base-'))
  try {
    await outputOf(here, 'git', 'worktree', 'add', '--detach', '--quiet', root, commit)
    if (!existsSync(join(root, 'apps/bench/src/main.ts'))) {
      throw new Error(`${revision} has no bench; name a later revision.`)
    }
    await build(here, { ...here, root })
    return await use({ root, commit })
  } finally {
    rmSync(root, { recursive: true, force: true })
    // Without the signal: it may be why this is over.
    await outputOf({ root: here.root }, 'git', 'worktree', 'prune')
  }
}

async function commitOf(here: Place, revision: string): Promise<string> {
  try {
    return await outputOf(here, 'git', 'rev-parse', '--verify', '--quiet', `${revision}^{commit}`)
  } catch (error) {
    here.signal?.throwIfAborted()
    throw new Error(`"${revision}" is no revision that git knows here: name a commit, a branch or a tag.`, {
      cause: error,
    })
  }
}

async function build(here: Place, there: Place): Promise<void> {
  const lockOf = ({ root }: Place): string => readFileSync(join(root, 'package-lock.json'), 'utf8')
  if (lockOf(here) === lockOf(there)) linkModules(here.root, there.root)
  else {
    say('Its packages are others: npm ci …')
    await outputOf(there, 'npm', 'ci', '--no-audit', '--no-fund')
  }
  say('Building it …')
  await outputOf(there, 'npm', 'run', '--silent', 'build:library')
}
