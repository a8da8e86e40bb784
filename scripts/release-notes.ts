/**
 * `node scripts/release-notes.ts v0.1.0` prints what CHANGELOG.md says of a version, for its release on GitHub. Fails if the tag is not
 * that of the version in libs/model-cache/package.json, or if the version has no entry with a date.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { changesOf } from './changelog.ts'

const ROOT = join(import.meta.dirname, '..')

const [tag] = parseArgs({ allowPositionals: true }).positionals
const manifest = readFileSync(join(ROOT, 'libs/model-cache/package.json'), 'utf8')
const { version } = JSON.parse(manifest) as { version: string }
if (tag !== `v${version}`) {
  throw new Error(
    `The tag is ${tag}, and the version in libs/model-cache/package.json is ${version}. Tag v${version}, or correct the version.`,
  )
}
const { date, text } = changesOf(version, readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'))
if (date === undefined) {
  throw new Error(
    `CHANGELOG.md has no date for ${version}. Write "## [${version}] - YYYY-MM-DD", and tag that commit.`,
  )
}
console.log(text)
