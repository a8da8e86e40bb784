/** Of the package.json of each package until a release sets the repository that it is made from. */
export const UNSET_REPOSITORY = 'git+https://github.com/OWNER/REPOSITORY.git'

/**
 * Says what is wrong with the repository of a package; undefined if nothing is. npm refuses a package whose repository is not the one of
 * its provenance.
 *
 * @param folder of the package, such as `libs/model-cache`
 * @param environment of a job of GitHub for a tag, which a release is made in, or any other
 */
export function repositoryProblem(
  folder: string,
  repository: { readonly type?: string; readonly url?: string; readonly directory?: string } | undefined,
  { GITHUB_REF_TYPE, GITHUB_REPOSITORY, GITHUB_SERVER_URL }: NodeJS.ProcessEnv,
): string | undefined {
  const isRelease = GITHUB_REF_TYPE === 'tag'
  const url = isRelease ? `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git` : UNSET_REPOSITORY
  const expected = JSON.stringify({ type: 'git', url, directory: folder })
  const actual = JSON.stringify(repository)
  if (actual === expected) return undefined
  const remedy = isRelease
    ? 'The step of release.yml that sets the repository has to come before.'
    : 'Leave it as it is: the release sets it.'
  return `The repository in ${folder}/package.json is ${actual}, and has to be ${expected}. ${remedy}`
}
