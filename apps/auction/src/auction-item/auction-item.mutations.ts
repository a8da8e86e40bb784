import { Field, Mutation, ObjectType, Resolver } from '@nestjs/graphql'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import type { AuctionBid, AuctionItem } from '#prisma/client/client.js'
import { AuctionBidType } from '../auction-bid/auction-bid.type.js'
import { ValidArgs } from '../infrastructure/graphql/valid-args.js'
import { auctionItemCache } from './auction-item.cache.js'
import { AuctionItemType } from './auction-item.type.js'
import { BiddingService } from './bidding.service.js'
import { EditItemInput, EditItemSchema } from './edit-item.input.js'
import { ItemEditorService } from './item-editor.service.js'
import { PlaceBidInput, PlaceBidSchema } from './place-bid.input.js'

@ObjectType()
export class PlacedBid {
  @Field(() => AuctionBidType) bid!: AuctionBid
  @Field(() => AuctionItemType, { description: 'The item after the bid' }) auctionItem!: AuctionItem | null
}

@Resolver()
export class AuctionItemMutations {
  constructor(
    private readonly bidding: BiddingService,
    private readonly editor: ItemEditorService,
    @InjectModelCache(auctionItemCache) private readonly items: CacheOf<typeof auctionItemCache>,
  ) {}

  @Mutation(() => PlacedBid)
  async placeBid(@ValidArgs('input', PlaceBidSchema) input: PlaceBidInput): Promise<PlacedBid> {
    const bid = await this.bidding.placeBid(input)
    return { bid, auctionItem: await this.items.get(input.auctionItemId) }
  }

  @Mutation(() => AuctionItemType)
  editItem(@ValidArgs('input', EditItemSchema) input: EditItemInput): Promise<AuctionItem> {
    return this.editor.editItem(input)
  }
}
