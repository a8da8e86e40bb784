import { Field, ObjectType } from '@nestjs/graphql'
import { type } from 'arktype'
import type { Prisma } from '#prisma/client/client.js'

/** A picture in the sizes that a page needs. Stored in the Json column AuctionItem.images. */
@ObjectType()
export class AuctionImage {
  @Field(() => String) image!: string
  @Field(() => String) preloadImage!: string
  @Field(() => String) thumbnailImage!: string
  @Field(() => String) smallImage!: string
  @Field(() => String) mediumImage!: string
}

const AuctionImages = type({
  image: 'string',
  preloadImage: 'string',
  thumbnailImage: 'string',
  smallImage: 'string',
  mediumImage: 'string',
}).array()

/** Validates the column: the database does not check Json. */
export function readImages(images: Prisma.JsonValue): AuctionImage[] {
  return AuctionImages.assert(images)
}
