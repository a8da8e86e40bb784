/** Why a request cannot be answered, for the operator who made it. Never has values of rows. */
export class InspectionError extends Error {
  override readonly name = 'InspectionError'

  /**
   * @param code one word for programs, such as `unknown_cache`
   * @param status of the HTTP response
   */
  constructor(
    readonly code: string,
    readonly status: 400 | 403 | 404 | 429 | 503,
    message: string,
  ) {
    super(message)
  }
}
