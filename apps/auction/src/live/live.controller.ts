import { Controller, Sse } from '@nestjs/common'
import type { MessageEvent } from '@nestjs/common'
import type { Observable } from 'rxjs'
import { LiveFeed } from './live-feed.js'

@Controller('live')
export class LiveController {
  constructor(private readonly feed: LiveFeed) {}

  @Sse()
  events(): Observable<MessageEvent> {
    return this.feed.events
  }
}
