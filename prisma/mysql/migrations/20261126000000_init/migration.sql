-- As Prisma creates tables on MySQL, but compared byte by byte, as the caches of lists and unique keys need it and PostgreSQL does.
-- CreateTable
CREATE TABLE `GuestUser` (
    `id` VARCHAR(191) NOT NULL,
    `name` TEXT NOT NULL,
    `email` TEXT NOT NULL,
    `createdAt` DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),

    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- CreateTable
CREATE TABLE `User` (
    `id` VARCHAR(191) NOT NULL,
    `email` VARCHAR(191) NOT NULL,
    `firstName` TEXT NOT NULL,
    `lastName` TEXT NOT NULL,
    `displayName` TEXT NOT NULL,
    `phone` TEXT NULL,
    `avatarUrl` TEXT NULL,
    `city` TEXT NULL,
    `country` TEXT NOT NULL,
    `locale` TEXT NOT NULL,
    `timezone` TEXT NOT NULL,
    `paddleNumber` INTEGER NULL,
    `rating` INTEGER NOT NULL DEFAULT 0,
    `isVerified` BOOLEAN NOT NULL DEFAULT false,
    `marketingOptIn` BOOLEAN NOT NULL DEFAULT false,
    `lifetimeGiven` DECIMAL(12, 2) NOT NULL DEFAULT 0,
    `lastSeenAt` DATETIME(3) NULL,
    `createdAt` DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    `updatedAt` DATETIME(3) NOT NULL,

    UNIQUE INDEX `User_email_key`(`email`),
    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- CreateTable
CREATE TABLE `Item` (
    `id` VARCHAR(191) NOT NULL,
    `sku` VARCHAR(191) NOT NULL,
    `title` TEXT NOT NULL,
    `description` TEXT NOT NULL,
    `category` TEXT NOT NULL,
    `condition` TEXT NOT NULL,
    `donorName` TEXT NOT NULL,
    `donorUrl` TEXT NULL,
    `fairMarketValue` DECIMAL(12, 2) NOT NULL,
    `quantity` INTEGER NOT NULL DEFAULT 1,
    `weightGrams` INTEGER NULL,
    `isVirtual` BOOLEAN NOT NULL DEFAULT false,
    `restrictions` TEXT NULL,
    `expiresAt` DATETIME(3) NULL,
    `createdAt` DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    `updatedAt` DATETIME(3) NOT NULL,

    UNIQUE INDEX `Item_sku_key`(`sku`),
    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- CreateTable
CREATE TABLE `AuctionItem` (
    `id` VARCHAR(191) NOT NULL,
    `fundraiserId` VARCHAR(191) NOT NULL,
    `itemId` VARCHAR(191) NOT NULL,
    `lot` VARCHAR(191) NOT NULL,
    `name` TEXT NOT NULL,
    `description` TEXT NOT NULL,
    `itemType` TEXT NOT NULL,
    `category` TEXT NOT NULL,
    `label` TEXT NULL,
    `showLabel` BOOLEAN NOT NULL DEFAULT false,
    `sortOrder` INTEGER NOT NULL,
    `imageCover` BOOLEAN NOT NULL DEFAULT false,
    `images` JSON NOT NULL,
    `donorName` TEXT NOT NULL,
    `fairMarketValue` DECIMAL(12, 2) NOT NULL,
    `startingPrice` DECIMAL(12, 2) NOT NULL,
    `minimumIncrement` DECIMAL(12, 2) NOT NULL,
    `minimumNextBid` DECIMAL(12, 2) NOT NULL,
    `buyNowPrice` DECIMAL(12, 2) NULL,
    `reservePrice` DECIMAL(12, 2) NULL,
    `reservePriceEnabled` BOOLEAN NOT NULL DEFAULT false,
    `hideReservePrice` BOOLEAN NOT NULL DEFAULT true,
    `hideUnitsAvailable` BOOLEAN NOT NULL DEFAULT false,
    `hideBidder` BOOLEAN NOT NULL DEFAULT false,
    `hidePrice` BOOLEAN NOT NULL DEFAULT false,
    `hideStatusBadge` BOOLEAN NOT NULL DEFAULT false,
    `liveAuctionItem` BOOLEAN NOT NULL DEFAULT false,
    `enableLiveAuction` BOOLEAN NOT NULL DEFAULT false,
    `sealedBidItem` BOOLEAN NOT NULL DEFAULT false,
    `unitsAvailable` INTEGER NOT NULL DEFAULT 1,
    `status` TEXT NOT NULL,
    `startsAt` DATETIME(3) NOT NULL,
    `endsAt` DATETIME(3) NULL,
    `currentBid` DECIMAL(12, 2) NULL,
    `currentBidId` TEXT NULL,
    `currentBidderId` TEXT NULL,
    `outbidBidderIds` JSON NOT NULL,
    `bidCount` INTEGER NOT NULL DEFAULT 0,
    `lastBidAt` DATETIME(3) NULL,
    `terms` TEXT NULL,
    `collectionNotes` TEXT NULL,
    `createdAt` DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    `updatedAt` DATETIME(3) NOT NULL,

    INDEX `AuctionItem_fundraiserId_sortOrder_idx`(`fundraiserId`, `sortOrder`),
    INDEX `AuctionItem_itemId_idx`(`itemId`),
    UNIQUE INDEX `AuctionItem_fundraiserId_lot_key`(`fundraiserId`, `lot`),
    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- CreateTable
CREATE TABLE `AuctionBid` (
    `id` VARCHAR(191) NOT NULL,
    `auctionItemId` VARCHAR(191) NOT NULL,
    `bidderId` VARCHAR(191) NOT NULL,
    `guestId` VARCHAR(191) NULL,
    `amount` DECIMAL(12, 2) NOT NULL,
    `minimumNextBid` DECIMAL(12, 2) NOT NULL,
    `status` TEXT NOT NULL,
    `isProxy` BOOLEAN NOT NULL DEFAULT false,
    `source` TEXT NOT NULL,
    `placedAt` DATETIME(3) NOT NULL,
    `createdAt` DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),

    INDEX `AuctionBid_auctionItemId_placedAt_idx`(`auctionItemId`, `placedAt`),
    INDEX `AuctionBid_bidderId_idx`(`bidderId`),
    INDEX `AuctionBid_guestId_idx`(`guestId`),
    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- CreateTable
CREATE TABLE `PaddleTipConfig` (
    `id` VARCHAR(191) NOT NULL,
    `fundraiserId` VARCHAR(191) NOT NULL,
    `enabled` BOOLEAN NOT NULL DEFAULT true,
    `headline` TEXT NOT NULL,
    `explanation` TEXT NOT NULL,
    `suggestedPercentages` JSON NOT NULL,
    `defaultPercentage` DECIMAL(5, 2) NOT NULL,
    `minimumAmount` DECIMAL(12, 2) NOT NULL,
    `maximumAmount` DECIMAL(12, 2) NULL,
    `coverFeesByDefault` BOOLEAN NOT NULL DEFAULT true,
    `roundUp` BOOLEAN NOT NULL DEFAULT false,
    `createdAt` DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    `updatedAt` DATETIME(3) NOT NULL,

    UNIQUE INDEX `PaddleTipConfig_fundraiserId_key`(`fundraiserId`),
    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- CreateTable
CREATE TABLE `GivingLevel` (
    `id` VARCHAR(191) NOT NULL,
    `fundraiserId` VARCHAR(191) NOT NULL,
    `name` TEXT NOT NULL,
    `description` TEXT NOT NULL,
    `amount` DECIMAL(12, 2) NOT NULL,
    `matchedAmount` DECIMAL(12, 2) NULL,
    `sortOrder` INTEGER NOT NULL,
    `badge` TEXT NULL,
    `imageUrl` TEXT NULL,
    `benefits` JSON NOT NULL,
    `quantityLimit` INTEGER NULL,
    `quantityClaimed` INTEGER NOT NULL DEFAULT 0,
    `active` BOOLEAN NOT NULL DEFAULT true,
    `startsAt` DATETIME(3) NULL,
    `endsAt` DATETIME(3) NULL,
    `createdAt` DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    `updatedAt` DATETIME(3) NOT NULL,

    INDEX `GivingLevel_fundraiserId_sortOrder_idx`(`fundraiserId`, `sortOrder`),
    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- CreateTable
CREATE TABLE `SponsorBundle` (
    `id` VARCHAR(191) NOT NULL,
    `fundraiserId` VARCHAR(191) NOT NULL,
    `name` TEXT NOT NULL,
    `tier` TEXT NOT NULL,
    `description` TEXT NOT NULL,
    `price` DECIMAL(12, 2) NOT NULL,
    `taxValue` DECIMAL(12, 2) NOT NULL,
    `seats` INTEGER NOT NULL,
    `benefits` JSON NOT NULL,
    `sortOrder` INTEGER NOT NULL,
    `publishedAt` DATETIME(3) NULL,
    `createdAt` DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    `updatedAt` DATETIME(3) NOT NULL,

    INDEX `SponsorBundle_fundraiserId_sortOrder_idx`(`fundraiserId`, `sortOrder`),
    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- CreateTable
CREATE TABLE `Sponsor` (
    `id` VARCHAR(191) NOT NULL,
    `bundleId` VARCHAR(191) NOT NULL,
    `name` TEXT NOT NULL,
    `websiteUrl` TEXT NULL,
    `logoUrl` TEXT NOT NULL,
    `tagline` TEXT NULL,
    `pledged` DECIMAL(12, 2) NOT NULL,
    `pledgedAt` DATETIME(3) NOT NULL,
    `paidAt` DATETIME(3) NULL,
    `sortOrder` INTEGER NOT NULL,

    INDEX `Sponsor_bundleId_sortOrder_idx`(`bundleId`, `sortOrder`),
    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- CreateTable
CREATE TABLE `Fundraiser` (
    `id` VARCHAR(191) NOT NULL,
    `slug` VARCHAR(191) NOT NULL,
    `name` TEXT NOT NULL,
    `tagline` TEXT NOT NULL,
    `status` TEXT NOT NULL,
    `currency` TEXT NOT NULL,
    `locale` TEXT NOT NULL,
    `timezone` TEXT NOT NULL,
    `country` TEXT NOT NULL,
    `city` TEXT NULL,
    `venueName` TEXT NULL,
    `venueAddress` TEXT NULL,
    `latitude` DOUBLE NULL,
    `longitude` DOUBLE NULL,
    `startsAt` DATETIME(3) NOT NULL,
    `endsAt` DATETIME(3) NULL,
    `doorsOpenAt` DATETIME(3) NULL,
    `registrationOpensAt` DATETIME(3) NULL,
    `registrationClosesAt` DATETIME(3) NULL,
    `publishedAt` DATETIME(3) NULL,
    `charityName` TEXT NOT NULL,
    `charityNumber` TEXT NULL,
    `charityWebsite` TEXT NULL,
    `charityMission` TEXT NOT NULL,
    `organiserName` TEXT NOT NULL,
    `organiserEmail` TEXT NOT NULL,
    `organiserPhone` TEXT NULL,
    `goalAmount` DECIMAL(12, 2) NOT NULL,
    `raisedAmount` DECIMAL(12, 2) NOT NULL DEFAULT 0,
    `matchingAmount` DECIMAL(12, 2) NULL,
    `minimumDonation` DECIMAL(12, 2) NOT NULL,
    `ticketPrice` DECIMAL(12, 2) NULL,
    `platformFeePercent` DECIMAL(6, 4) NOT NULL,
    `processingFeePercent` DECIMAL(6, 4) NOT NULL,
    `processingFeeFixed` DECIMAL(12, 2) NOT NULL,
    `donorCount` INTEGER NOT NULL DEFAULT 0,
    `guestCount` INTEGER NOT NULL DEFAULT 0,
    `tableCount` INTEGER NULL,
    `seatsPerTable` INTEGER NULL,
    `pageViews` BIGINT NOT NULL DEFAULT 0,
    `isPublic` BOOLEAN NOT NULL DEFAULT true,
    `isTest` BOOLEAN NOT NULL DEFAULT false,
    `allowGuestBidding` BOOLEAN NOT NULL DEFAULT true,
    `allowDonations` BOOLEAN NOT NULL DEFAULT true,
    `allowPaddleTips` BOOLEAN NOT NULL DEFAULT true,
    `requireCard` BOOLEAN NOT NULL DEFAULT false,
    `showLeaderboard` BOOLEAN NOT NULL DEFAULT true,
    `showGoal` BOOLEAN NOT NULL DEFAULT true,
    `showDonorNames` BOOLEAN NOT NULL DEFAULT true,
    `anonymiseBidders` BOOLEAN NOT NULL DEFAULT false,
    `emailReceipts` BOOLEAN NOT NULL DEFAULT true,
    `smsNotifications` BOOLEAN NOT NULL DEFAULT false,
    `autoExtendBidding` BOOLEAN NOT NULL DEFAULT false,
    `extendBySeconds` INTEGER NOT NULL DEFAULT 0,
    `coverImageUrl` TEXT NULL,
    `coverPreview` LONGBLOB NULL,
    `logoUrl` TEXT NULL,
    `primaryColor` TEXT NOT NULL,
    `accentColor` TEXT NOT NULL,
    `theme` JSON NOT NULL,
    `socialLinks` JSON NOT NULL,
    `faq` JSON NOT NULL,
    `tags` JSON NOT NULL,
    `description` TEXT NOT NULL,
    `story` TEXT NOT NULL,
    `termsAndConditions` TEXT NOT NULL,
    `privacyNotice` TEXT NOT NULL,
    `biddingRules` TEXT NOT NULL,
    `collectionNotes` TEXT NOT NULL,
    `emailFooter` TEXT NOT NULL,
    `createdAt` DATETIME(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
    `updatedAt` DATETIME(3) NOT NULL,

    UNIQUE INDEX `Fundraiser_slug_key`(`slug`),
    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- CreateTable
CREATE TABLE `FeatureFlags` (
    `id` VARCHAR(191) NOT NULL,
    `revision` INTEGER NOT NULL,
    `flags` JSON NOT NULL,
    `updatedAt` DATETIME(3) NOT NULL,

    PRIMARY KEY (`id`)
) DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- AddForeignKey
ALTER TABLE `AuctionItem` ADD CONSTRAINT `AuctionItem_fundraiserId_fkey` FOREIGN KEY (`fundraiserId`) REFERENCES `Fundraiser`(`id`) ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE `AuctionItem` ADD CONSTRAINT `AuctionItem_itemId_fkey` FOREIGN KEY (`itemId`) REFERENCES `Item`(`id`) ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE `AuctionBid` ADD CONSTRAINT `AuctionBid_auctionItemId_fkey` FOREIGN KEY (`auctionItemId`) REFERENCES `AuctionItem`(`id`) ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE `AuctionBid` ADD CONSTRAINT `AuctionBid_bidderId_fkey` FOREIGN KEY (`bidderId`) REFERENCES `User`(`id`) ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE `AuctionBid` ADD CONSTRAINT `AuctionBid_guestId_fkey` FOREIGN KEY (`guestId`) REFERENCES `GuestUser`(`id`) ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE `PaddleTipConfig` ADD CONSTRAINT `PaddleTipConfig_fundraiserId_fkey` FOREIGN KEY (`fundraiserId`) REFERENCES `Fundraiser`(`id`) ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE `GivingLevel` ADD CONSTRAINT `GivingLevel_fundraiserId_fkey` FOREIGN KEY (`fundraiserId`) REFERENCES `Fundraiser`(`id`) ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE `SponsorBundle` ADD CONSTRAINT `SponsorBundle_fundraiserId_fkey` FOREIGN KEY (`fundraiserId`) REFERENCES `Fundraiser`(`id`) ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE `Sponsor` ADD CONSTRAINT `Sponsor_bundleId_fkey` FOREIGN KEY (`bundleId`) REFERENCES `SponsorBundle`(`id`) ON DELETE RESTRICT ON UPDATE CASCADE;
