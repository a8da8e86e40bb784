/** The fixtures that are models; all of them if only small rows are measured. */
export function modelsIn<F extends { readonly isSmall?: boolean }>(fixtures: readonly F[]): readonly F[] {
  const models = fixtures.filter(({ isSmall }) => !isSmall)
  return models.length > 0 ? models : fixtures
}
