import type { DynamicModule } from '@nestjs/common'
import { ModelCacheInspectorModule } from '@model-cache/inspector'
import { InspectorGuard } from './inspector.guard.js'

/** Serves the inspector at `/inspector`. Values of lots are shown, all others are masked. The live charts show what it knows, too. */
export function inspectorModule(): DynamicModule {
  const inspector = ModelCacheInspectorModule.forRoot({
    guards: [InspectorGuard],
    show: { AuctionItem: '*' },
    actions: {
      AuctionItem: ['invalidate', 'invalidateAll'],
      AuctionBid: ['invalidate', 'invalidateAll'],
    },
  })
  return { ...inspector, global: true }
}
