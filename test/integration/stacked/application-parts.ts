/** A service that reads and writes players, and the ways into it that Nest applications have. */
import { Controller, Get, Inject, Injectable, Param, Put, Query as Parameter, Scope } from '@nestjs/common'
import { REQUEST } from '@nestjs/core'
import { InjectQueue, Processor, WorkerHost } from '@nestjs/bullmq'
import {
  Args,
  Field,
  Int,
  Mutation,
  ObjectType,
  Parent,
  Query,
  ResolveField,
  Resolver,
} from '@nestjs/graphql'
import { MessagePattern, Payload } from '@nestjs/microservices'
import type { PrismaClient } from '@prisma/client'
import type { Job, Queue } from 'bullmq'
import { type CacheOf, InjectModelCache } from 'model-cache'
import { Logger } from 'nestjs-pino'
import { players, prismaToken } from './stack.js'

export interface Renaming {
  readonly id: number
  readonly name: string
}

@Injectable()
export class PlayersService {
  constructor(
    @InjectModelCache(players) private readonly cache: CacheOf<typeof players>,
    @Inject(prismaToken) private readonly prisma: PrismaClient,
  ) {}

  async nameOf(id: number): Promise<string> {
    return (await this.cache.get(id))?.name ?? 'nobody'
  }

  async rename({ id, name }: Renaming): Promise<string> {
    await this.prisma.player.update({ where: { id }, data: { name } })
    return this.nameOf(id)
  }
}

/** Has one instance for each request. */
@Injectable({ scope: Scope.REQUEST })
export class RequestService {
  static instances = 0

  constructor(
    @InjectModelCache(players) private readonly cache: CacheOf<typeof players>,
    @Inject(REQUEST) private readonly request: { readonly url: string },
    @Inject(Logger) private readonly logger: Logger,
  ) {
    RequestService.instances++
  }

  async nameOf(id: number): Promise<string> {
    const name = (await this.cache.get(id))?.name ?? 'nobody'
    this.logger.log(`${this.request.url}: ${name}`)
    return name
  }
}

@Controller('players')
export class PlayersController {
  constructor(
    @Inject(RequestService) private readonly reads: RequestService,
    @Inject(PlayersService) private readonly players: PlayersService,
  ) {}

  @Get(':id')
  name(@Param('id') id: string): Promise<string> {
    return this.reads.nameOf(Number(id))
  }

  @Put(':id')
  rename(@Param('id') id: string, @Parameter('name') name: string): Promise<string> {
    return this.players.rename({ id: Number(id), name })
  }
}

@Controller()
export class PlayersHandlers {
  constructor(@Inject(PlayersService) private readonly players: PlayersService) {}

  @MessagePattern('name')
  name(@Payload() id: number): Promise<string> {
    return this.players.nameOf(id)
  }

  @MessagePattern('rename')
  rename(@Payload() renaming: Renaming): Promise<string> {
    return this.players.rename(renaming)
  }
}

@ObjectType()
class PlayerObject {
  @Field(() => Int)
  id!: number
}

@Resolver(() => PlayerObject)
export class PlayersResolver {
  constructor(@Inject(PlayersService) private readonly players: PlayersService) {}

  @Query(() => [PlayerObject])
  playersBy(@Args('ids', { type: () => [Int] }) ids: number[]): PlayerObject[] {
    return ids.map((id) => ({ id }))
  }

  /** Each is a read of its own. */
  @ResolveField(() => String)
  name(@Parent() { id }: PlayerObject): Promise<string> {
    return this.players.nameOf(id)
  }

  @Mutation(() => String)
  rename(@Args('id', { type: () => Int }) id: number, @Args('name') name: string): Promise<string> {
    return this.players.rename({ id, name })
  }
}

export const queueName = 'players'

@Processor(queueName, { concurrency: 10 })
export class PlayersProcessor extends WorkerHost {
  constructor(@Inject(PlayersService) private readonly players: PlayersService) {
    super()
  }

  process({ name, data }: Job<number | Renaming, string>): Promise<string> {
    return name === 'rename' ? this.players.rename(data as Renaming) : this.players.nameOf(data as number)
  }
}

@Injectable()
export class PlayersQueue {
  constructor(@InjectQueue(queueName) readonly queue: Queue<number | Renaming, string>) {}
}
