-- CreateTable
CREATE TABLE "GuestUser" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- CreateTable
CREATE TABLE "User" (
    "id" TEXT NOT NULL PRIMARY KEY,
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
    "lifetimeGiven" DECIMAL NOT NULL DEFAULT 0,
    "lastSeenAt" DATETIME,
    "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "Item" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "sku" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "category" TEXT NOT NULL,
    "condition" TEXT NOT NULL,
    "donorName" TEXT NOT NULL,
    "donorUrl" TEXT,
    "fairMarketValue" DECIMAL NOT NULL,
    "quantity" INTEGER NOT NULL DEFAULT 1,
    "weightGrams" INTEGER,
    "isVirtual" BOOLEAN NOT NULL DEFAULT false,
    "restrictions" TEXT,
    "expiresAt" DATETIME,
    "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "AuctionItem" (
    "id" TEXT NOT NULL PRIMARY KEY,
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
    "fairMarketValue" DECIMAL NOT NULL,
    "startingPrice" DECIMAL NOT NULL,
    "minimumIncrement" DECIMAL NOT NULL,
    "minimumNextBid" DECIMAL NOT NULL,
    "buyNowPrice" DECIMAL,
    "reservePrice" DECIMAL,
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
    "startsAt" DATETIME NOT NULL,
    "endsAt" DATETIME,
    "currentBid" DECIMAL,
    "currentBidId" TEXT,
    "currentBidderId" TEXT,
    "outbidBidderIds" JSONB NOT NULL,
    "bidCount" INTEGER NOT NULL DEFAULT 0,
    "lastBidAt" DATETIME,
    "terms" TEXT,
    "collectionNotes" TEXT,
    "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" DATETIME NOT NULL,
    CONSTRAINT "AuctionItem_fundraiserId_fkey" FOREIGN KEY ("fundraiserId") REFERENCES "Fundraiser" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "AuctionItem_itemId_fkey" FOREIGN KEY ("itemId") REFERENCES "Item" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "AuctionBid" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "auctionItemId" TEXT NOT NULL,
    "bidderId" TEXT NOT NULL,
    "guestId" TEXT,
    "amount" DECIMAL NOT NULL,
    "minimumNextBid" DECIMAL NOT NULL,
    "status" TEXT NOT NULL,
    "isProxy" BOOLEAN NOT NULL DEFAULT false,
    "source" TEXT NOT NULL,
    "placedAt" DATETIME NOT NULL,
    "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "AuctionBid_auctionItemId_fkey" FOREIGN KEY ("auctionItemId") REFERENCES "AuctionItem" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "AuctionBid_bidderId_fkey" FOREIGN KEY ("bidderId") REFERENCES "User" ("id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "AuctionBid_guestId_fkey" FOREIGN KEY ("guestId") REFERENCES "GuestUser" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "PaddleTipConfig" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "fundraiserId" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "headline" TEXT NOT NULL,
    "explanation" TEXT NOT NULL,
    "suggestedPercentages" JSONB NOT NULL,
    "defaultPercentage" DECIMAL NOT NULL,
    "minimumAmount" DECIMAL NOT NULL,
    "maximumAmount" DECIMAL,
    "coverFeesByDefault" BOOLEAN NOT NULL DEFAULT true,
    "roundUp" BOOLEAN NOT NULL DEFAULT false,
    "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" DATETIME NOT NULL,
    CONSTRAINT "PaddleTipConfig_fundraiserId_fkey" FOREIGN KEY ("fundraiserId") REFERENCES "Fundraiser" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "GivingLevel" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "fundraiserId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "amount" DECIMAL NOT NULL,
    "matchedAmount" DECIMAL,
    "sortOrder" INTEGER NOT NULL,
    "badge" TEXT,
    "imageUrl" TEXT,
    "benefits" JSONB NOT NULL,
    "quantityLimit" INTEGER,
    "quantityClaimed" INTEGER NOT NULL DEFAULT 0,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "startsAt" DATETIME,
    "endsAt" DATETIME,
    "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" DATETIME NOT NULL,
    CONSTRAINT "GivingLevel_fundraiserId_fkey" FOREIGN KEY ("fundraiserId") REFERENCES "Fundraiser" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "SponsorBundle" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "fundraiserId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tier" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "price" DECIMAL NOT NULL,
    "taxValue" DECIMAL NOT NULL,
    "seats" INTEGER NOT NULL,
    "benefits" JSONB NOT NULL,
    "sortOrder" INTEGER NOT NULL,
    "publishedAt" DATETIME,
    "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" DATETIME NOT NULL,
    CONSTRAINT "SponsorBundle_fundraiserId_fkey" FOREIGN KEY ("fundraiserId") REFERENCES "Fundraiser" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "Sponsor" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "bundleId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "websiteUrl" TEXT,
    "logoUrl" TEXT NOT NULL,
    "tagline" TEXT,
    "pledged" DECIMAL NOT NULL,
    "pledgedAt" DATETIME NOT NULL,
    "paidAt" DATETIME,
    "sortOrder" INTEGER NOT NULL,
    CONSTRAINT "Sponsor_bundleId_fkey" FOREIGN KEY ("bundleId") REFERENCES "SponsorBundle" ("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "Fundraiser" (
    "id" TEXT NOT NULL PRIMARY KEY,
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
    "latitude" REAL,
    "longitude" REAL,
    "startsAt" DATETIME NOT NULL,
    "endsAt" DATETIME,
    "doorsOpenAt" DATETIME,
    "registrationOpensAt" DATETIME,
    "registrationClosesAt" DATETIME,
    "publishedAt" DATETIME,
    "charityName" TEXT NOT NULL,
    "charityNumber" TEXT,
    "charityWebsite" TEXT,
    "charityMission" TEXT NOT NULL,
    "organiserName" TEXT NOT NULL,
    "organiserEmail" TEXT NOT NULL,
    "organiserPhone" TEXT,
    "goalAmount" DECIMAL NOT NULL,
    "raisedAmount" DECIMAL NOT NULL DEFAULT 0,
    "matchingAmount" DECIMAL,
    "minimumDonation" DECIMAL NOT NULL,
    "ticketPrice" DECIMAL,
    "platformFeePercent" DECIMAL NOT NULL,
    "processingFeePercent" DECIMAL NOT NULL,
    "processingFeeFixed" DECIMAL NOT NULL,
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
    "coverPreview" BLOB,
    "logoUrl" TEXT,
    "primaryColor" TEXT NOT NULL,
    "accentColor" TEXT NOT NULL,
    "theme" JSONB NOT NULL,
    "socialLinks" JSONB NOT NULL,
    "faq" JSONB NOT NULL,
    "tags" JSONB NOT NULL,
    "description" TEXT NOT NULL,
    "story" TEXT NOT NULL,
    "termsAndConditions" TEXT NOT NULL,
    "privacyNotice" TEXT NOT NULL,
    "biddingRules" TEXT NOT NULL,
    "collectionNotes" TEXT NOT NULL,
    "emailFooter" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "FeatureFlags" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "revision" INTEGER NOT NULL,
    "flags" JSONB NOT NULL,
    "updatedAt" DATETIME NOT NULL
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
