/** What CHANGELOG.md says of one version. */
export interface Changes {
  /** Undefined until it is released. */
  readonly date: string | undefined
  readonly text: string
}

/** @throws Error if the changelog has no entry for the version, or an empty one */
export function changesOf(version: string, changelog: string): Changes {
  for (const section of changelog.split(/^## /m).slice(1)) {
    const [heading = ''] = section.split('\n', 1)
    if (!heading.startsWith(`[${version}]`)) continue
    const text = section.slice(heading.length).trim()
    if (text === '') break
    return { date: /^\[[^\]]+\] - (\d{4}-\d{2}-\d{2})$/.exec(heading)?.[1], text }
  }
  throw new Error(
    `CHANGELOG.md has no entry for ${version}, the version of the package. Write "## [${version}] - Unreleased", with what changes.`,
  )
}
