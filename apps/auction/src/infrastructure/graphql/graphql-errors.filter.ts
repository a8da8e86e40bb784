import { Catch } from '@nestjs/common'
import type { ArgumentsHost } from '@nestjs/common'
import { BaseExceptionFilter } from '@nestjs/core'
import type { GqlContextType } from '@nestjs/graphql'

/**
 * Leaves errors of resolvers to formatErrors, which sees those of every field and knows which are news. Nest would log
 * each one as unhandled, a bid that is too low included.
 */
@Catch()
export class GraphqlErrorsFilter extends BaseExceptionFilter {
  override catch(error: unknown, host: ArgumentsHost): unknown {
    if (host.getType<GqlContextType>() === 'graphql') return error
    // oxlint-disable-next-line promise/valid-params -- an exception filter, no promise
    return super.catch(error, host)
  }
}
