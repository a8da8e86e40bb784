import type { preHandlerAsyncHookHandler } from 'fastify'
import mercurius from 'mercurius'

// What one request may ask for. Generous for the pages of this application, and far from what stops an event loop.

/** Bytes of a request's body. */
export const BODY_LIMIT = 100 * 1024

/** Operations that a client may send as one array. */
export const MAX_BATCH = 10

/** Levels of fields; the page of an auction has five. GraphiQL's introspection needs more, and only development has it. */
export const MAX_DEPTH = { production: 8, development: 16 }

/** Tokens of one document, which bounds what depth does not: fields and aliases side by side. */
export const MAX_TOKENS = 2000

/** Refuses longer batches; mercurius itself would run any number of operations at once. */
export const limitBatch: preHandlerAsyncHookHandler = async (request) => {
  if (Array.isArray(request.body) && request.body.length > MAX_BATCH) {
    throw new mercurius.ErrorWithProps(
      `A batch may hold ${MAX_BATCH} operations, this one has ${request.body.length}`,
      { code: 'BATCH_TOO_LARGE' },
      400,
    )
  }
}
