-- The cache of this table knows its rows by "fundraiserId". With the index, updates and deletes in the replication stream have it.
ALTER TABLE "PaddleTipConfig" REPLICA IDENTITY USING INDEX "PaddleTipConfig_fundraiserId_key";
