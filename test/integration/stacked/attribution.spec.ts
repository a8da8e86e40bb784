import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo'
import { GraphQLModule } from '@nestjs/graphql'
import { ExpressAdapter } from '@nestjs/platform-express'
import { describeAttribution } from '../observe/describe-attribution.js'

describeAttribution('Express with Apollo', {
  adapter: () => new ExpressAdapter(),
  graphql: {
    module: () => GraphQLModule.forRoot<ApolloDriverConfig>({ driver: ApolloDriver, autoSchemaFile: true }),
    // Nest's driver of Apollo answers with 200 whatever a resolver throws.
    unavailable: 200,
  },
})
