-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "GuestUser" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "GuestUser_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "User" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "firstName" TEXT NOT NULL,
    "lastName" TEXT NOT NULL,
    "displayName" TEXT NOT NULL,
    "phone" TEXT,
    "avatarUrl" TEXT,
    "city" TEXT,
    "country" TEXT NOT NULL,
    "locale" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "paddleNumber" INTEGER,
    "rating" INTEGER NOT NULL DEFAULT 0,
    "isVerified" BOOLEAN NOT NULL DEFAULT false,
    "marketingOptIn" BOOLEAN NOT NULL DEFAULT false,
    "lifetimeGiven" DECIMAL(12,2) NOT NULL DEFAULT 0,
    "lastSeenAt" TIMESTAMP(3),
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "User_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Item" (
    "id" TEXT NOT NULL,
    "sku" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "category" TEXT NOT NULL,
    "condition" TEXT NOT NULL,
    "donorName" TEXT NOT NULL,
    "donorUrl" TEXT,
    "fairMarketValue" DECIMAL(12,2) NOT NULL,
    "quantity" INTEGER NOT NULL DEFAULT 1,
    "weightGrams" INTEGER,
    "isVirtual" BOOLEAN NOT NULL DEFAULT false,
    "restrictions" TEXT,
    "expiresAt" TIMESTAMP(3),
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Item_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "AuctionItem" (
    "id" TEXT NOT NULL,
    "fundraiserId" TEXT NOT NULL,
    "itemId" TEXT NOT NULL,
    "lot" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "itemType" TEXT NOT NULL,
    "category" TEXT NOT NULL,
    "label" TEXT,
    "showLabel" BOOLEAN NOT NULL DEFAULT false,
    "sortOrder" INTEGER NOT NULL,
    "imageCover" BOOLEAN NOT NULL DEFAULT false,
    "images" JSONB NOT NULL,
    "donorName" TEXT NOT NULL,
    "fairMarketValue" DECIMAL(12,2) NOT NULL,
    "startingPrice" DECIMAL(12,2) NOT NULL,
    "minimumIncrement" DECIMAL(12,2) NOT NULL,
    "minimumNextBid" DECIMAL(12,2) NOT NULL,
    "buyNowPrice" DECIMAL(12,2),
    "reservePrice" DECIMAL(12,2),
    "reservePriceEnabled" BOOLEAN NOT NULL DEFAULT false,
    "hideReservePrice" BOOLEAN NOT NULL DEFAULT true,
    "hideUnitsAvailable" BOOLEAN NOT NULL DEFAULT false,
    "hideBidder" BOOLEAN NOT NULL DEFAULT false,
    "hidePrice" BOOLEAN NOT NULL DEFAULT false,
    "hideStatusBadge" BOOLEAN NOT NULL DEFAULT false,
    "liveAuctionItem" BOOLEAN NOT NULL DEFAULT false,
    "enableLiveAuction" BOOLEAN NOT NULL DEFAULT false,
    "sealedBidItem" BOOLEAN NOT NULL DEFAULT false,
    "unitsAvailable" INTEGER NOT NULL DEFAULT 1,
    "status" TEXT NOT NULL,
    "startsAt" TIMESTAMP(3) NOT NULL,
    "endsAt" TIMESTAMP(3),
    "currentBid" DECIMAL(12,2),
    "currentBidId" TEXT,
    "currentBidderId" TEXT,
    "outbidBidderIds" TEXT[],
    "bidCount" INTEGER NOT NULL DEFAULT 0,
    "lastBidAt" TIMESTAMP(3),
    "terms" TEXT,
    "collectionNotes" TEXT,
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "AuctionItem_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "AuctionBid" (
    "id" TEXT NOT NULL,
    "auctionItemId" TEXT NOT NULL,
    "bidderId" TEXT NOT NULL,
    "guestId" TEXT,
    "amount" DECIMAL(12,2) NOT NULL,
    "minimumNextBid" DECIMAL(12,2) NOT NULL,
    "status" TEXT NOT NULL,
    "isProxy" BOOLEAN NOT NULL DEFAULT false,
    "source" TEXT NOT NULL,
    "placedAt" TIMESTAMP(3) NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "AuctionBid_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "PaddleTipConfig" (
    "id" TEXT NOT NULL,
    "fundraiserId" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "headline" TEXT NOT NULL,
    "explanation" TEXT NOT NULL,
    "suggestedPercentages" INTEGER[],
    "defaultPercentage" DECIMAL(5,2) NOT NULL,
    "minimumAmount" DECIMAL(12,2) NOT NULL,
    "maximumAmount" DECIMAL(12,2),
    "coverFeesByDefault" BOOLEAN NOT NULL DEFAULT true,
    "roundUp" BOOLEAN NOT NULL DEFAULT false,
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "PaddleTipConfig_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "GivingLevel" (
    "id" TEXT NOT NULL,
    "fundraiserId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "amount" DECIMAL(12,2) NOT NULL,
    "matchedAmount" DECIMAL(12,2),
    "sortOrder" INTEGER NOT NULL,
    "badge" TEXT,
    "imageUrl" TEXT,
    "benefits" TEXT[],
    "quantityLimit" INTEGER,
    "quantityClaimed" INTEGER NOT NULL DEFAULT 0,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "startsAt" TIMESTAMP(3),
    "endsAt" TIMESTAMP(3),
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "GivingLevel_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SponsorBundle" (
    "id" TEXT NOT NULL,
    "fundraiserId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tier" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "price" DECIMAL(12,2) NOT NULL,
    "taxValue" DECIMAL(12,2) NOT NULL,
    "seats" INTEGER NOT NULL,
    "benefits" TEXT[],
    "sortOrder" INTEGER NOT NULL,
    "publishedAt" TIMESTAMP(3),
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "SponsorBundle_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Sponsor" (
    "id" TEXT NOT NULL,
    "bundleId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "websiteUrl" TEXT,
    "logoUrl" TEXT NOT NULL,
    "tagline" TEXT,
    "pledged" DECIMAL(12,2) NOT NULL,
    "pledgedAt" TIMESTAMP(3) NOT NULL,
    "paidAt" TIMESTAMP(3),
    "sortOrder" INTEGER NOT NULL,

    CONSTRAINT "Sponsor_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Fundraiser" (
    "id" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tagline" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "locale" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "country" TEXT NOT NULL,
    "city" TEXT,
    "venueName" TEXT,
    "venueAddress" TEXT,
    "latitude" DOUBLE PRECISION,
    "longitude" DOUBLE PRECISION,
    "startsAt" TIMESTAMP(3) NOT NULL,
    "endsAt" TIMESTAMP(3),
    "doorsOpenAt" TIMESTAMP(3),
    "registrationOpensAt" TIMESTAMP(3),
    "registrationClosesAt" TIMESTAMP(3),
    "publishedAt" TIMESTAMP(3),
    "charityName" TEXT NOT NULL,
    "charityNumber" TEXT,
    "charityWebsite" TEXT,
    "charityMission" TEXT NOT NULL,
    "organiserName" TEXT NOT NULL,
    "organiserEmail" TEXT NOT NULL,
    "organiserPhone" TEXT,
    "goalAmount" DECIMAL(12,2) NOT NULL,
    "raisedAmount" DECIMAL(12,2) NOT NULL DEFAULT 0,
    "matchingAmount" DECIMAL(12,2),
    "minimumDonation" DECIMAL(12,2) NOT NULL,
    "ticketPrice" DECIMAL(12,2),
    "platformFeePercent" DECIMAL(6,4) NOT NULL,
    "processingFeePercent" DECIMAL(6,4) NOT NULL,
    "processingFeeFixed" DECIMAL(12,2) NOT NULL,
    "donorCount" INTEGER NOT NULL DEFAULT 0,
    "guestCount" INTEGER NOT NULL DEFAULT 0,
    "tableCount" INTEGER,
    "seatsPerTable" INTEGER,
    "pageViews" BIGINT NOT NULL DEFAULT 0,
    "isPublic" BOOLEAN NOT NULL DEFAULT true,
    "isTest" BOOLEAN NOT NULL DEFAULT false,
    "allowGuestBidding" BOOLEAN NOT NULL DEFAULT true,
    "allowDonations" BOOLEAN NOT NULL DEFAULT true,
    "allowPaddleTips" BOOLEAN NOT NULL DEFAULT true,
    "requireCard" BOOLEAN NOT NULL DEFAULT false,
    "showLeaderboard" BOOLEAN NOT NULL DEFAULT true,
    "showGoal" BOOLEAN NOT NULL DEFAULT true,
    "showDonorNames" BOOLEAN NOT NULL DEFAULT true,
    "anonymiseBidders" BOOLEAN NOT NULL DEFAULT false,
    "emailReceipts" BOOLEAN NOT NULL DEFAULT true,
    "smsNotifications" BOOLEAN NOT NULL DEFAULT false,
    "autoExtendBidding" BOOLEAN NOT NULL DEFAULT false,
    "extendBySeconds" INTEGER NOT NULL DEFAULT 0,
    "coverImageUrl" TEXT,
    "coverPreview" BYTEA,
    "logoUrl" TEXT,
    "primaryColor" TEXT NOT NULL,
    "accentColor" TEXT NOT NULL,
    "theme" JSONB NOT NULL,
    "socialLinks" JSONB NOT NULL,
    "faq" JSONB NOT NULL,
    "tags" TEXT[],
    "description" TEXT NOT NULL,
    "story" TEXT NOT NULL,
    "termsAndConditions" TEXT NOT NULL,
    "privacyNotice" TEXT NOT NULL,
    "biddingRules" TEXT NOT NULL,
    "collectionNotes" TEXT NOT NULL,
    "emailFooter" TEXT NOT NULL,
    "createdAt" TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "Fundraiser_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "FeatureFlags" (
    "id" TEXT NOT NULL,
    "revision" INTEGER NOT NULL,
    "flags" JSONB NOT NULL,
    "updatedAt" TIMESTAMP(3) NOT NULL,

    CONSTRAINT "FeatureFlags_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "User_email_key" ON "User"("email");

-- CreateIndex
CREATE UNIQUE INDEX "Item_sku_key" ON "Item"("sku");

-- CreateIndex
CREATE INDEX "AuctionItem_fundraiserId_sortOrder_idx" ON "AuctionItem"("fundraiserId", "sortOrder");

-- CreateIndex
CREATE INDEX "AuctionItem_itemId_idx" ON "AuctionItem"("itemId");

-- CreateIndex
CREATE UNIQUE INDEX "AuctionItem_fundraiserId_lot_key" ON "AuctionItem"("fundraiserId", "lot");

-- CreateIndex
CREATE INDEX "AuctionBid_auctionItemId_placedAt_idx" ON "AuctionBid"("auctionItemId", "placedAt");

-- CreateIndex
CREATE INDEX "AuctionBid_bidderId_idx" ON "AuctionBid"("bidderId");

-- CreateIndex
CREATE INDEX "AuctionBid_guestId_idx" ON "AuctionBid"("guestId");

-- CreateIndex
CREATE UNIQUE INDEX "PaddleTipConfig_fundraiserId_key" ON "PaddleTipConfig"("fundraiserId");

-- CreateIndex
CREATE INDEX "GivingLevel_fundraiserId_sortOrder_idx" ON "GivingLevel"("fundraiserId", "sortOrder");

-- CreateIndex
CREATE INDEX "SponsorBundle_fundraiserId_sortOrder_idx" ON "SponsorBundle"("fundraiserId", "sortOrder");

-- CreateIndex
CREATE INDEX "Sponsor_bundleId_sortOrder_idx" ON "Sponsor"("bundleId", "sortOrder");

-- CreateIndex
CREATE UNIQUE INDEX "Fundraiser_slug_key" ON "Fundraiser"("slug");

-- AddForeignKey
ALTER TABLE "AuctionItem" ADD CONSTRAINT "AuctionItem_fundraiserId_fkey" FOREIGN KEY ("fundraiserId") REFERENCES "Fundraiser"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AuctionItem" ADD CONSTRAINT "AuctionItem_itemId_fkey" FOREIGN KEY ("itemId") REFERENCES "Item"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AuctionBid" ADD CONSTRAINT "AuctionBid_auctionItemId_fkey" FOREIGN KEY ("auctionItemId") REFERENCES "AuctionItem"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AuctionBid" ADD CONSTRAINT "AuctionBid_bidderId_fkey" FOREIGN KEY ("bidderId") REFERENCES "User"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "AuctionBid" ADD CONSTRAINT "AuctionBid_guestId_fkey" FOREIGN KEY ("guestId") REFERENCES "GuestUser"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "PaddleTipConfig" ADD CONSTRAINT "PaddleTipConfig_fundraiserId_fkey" FOREIGN KEY ("fundraiserId") REFERENCES "Fundraiser"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "GivingLevel" ADD CONSTRAINT "GivingLevel_fundraiserId_fkey" FOREIGN KEY ("fundraiserId") REFERENCES "Fundraiser"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "SponsorBundle" ADD CONSTRAINT "SponsorBundle_fundraiserId_fkey" FOREIGN KEY ("fundraiserId") REFERENCES "Fundraiser"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "Sponsor" ADD CONSTRAINT "Sponsor_bundleId_fkey" FOREIGN KEY ("bundleId") REFERENCES "SponsorBundle"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

