import { hasCode, ModelCacheError } from 'model-cache/internal'

/** The log of the database cannot be followed, or not any more. */
export function followError(problem: string, cause?: unknown): ModelCacheError {
  return new ModelCacheError('E_FOLLOW', `model-cache: ${problem}`, cause)
}

/** As {@link followError}, or the cause itself if it says already why the log cannot be followed. */
export function asFollowError(cause: unknown, problem: string): ModelCacheError {
  return hasCode(cause, 'E_FOLLOW') ? cause : followError(problem, cause)
}
