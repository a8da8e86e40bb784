-- Tables and rows of schema.prisma. Eight customers have 50 purchases each, c50-0 to c50-7, others 500 and 2,000.
CREATE TABLE "Customer" (id text PRIMARY KEY, email text NOT NULL UNIQUE, name text NOT NULL, settings jsonb NOT NULL DEFAULT '{}', "createdAt" timestamp(3) NOT NULL DEFAULT now());
CREATE TABLE "Country" (code text PRIMARY KEY, name text NOT NULL, currency text NOT NULL);
CREATE TABLE "Address" (id text PRIMARY KEY, "customerId" text NOT NULL REFERENCES "Customer", name text, street text NOT NULL, city text NOT NULL, "countryCode" text NOT NULL REFERENCES "Country", "isDefault" boolean NOT NULL DEFAULT false, "createdAt" timestamp(3) NOT NULL DEFAULT now(), "updatedAt" timestamp(3) NOT NULL DEFAULT now());
CREATE INDEX ON "Address" ("customerId");
CREATE TABLE "Product" (id text PRIMARY KEY, sku text NOT NULL UNIQUE, name text NOT NULL, maker text, category text NOT NULL, currency text NOT NULL, attributes jsonb, images jsonb NOT NULL DEFAULT '[]', url text, "isListed" boolean NOT NULL DEFAULT true, "createdAt" timestamp(3) NOT NULL DEFAULT now(), "updatedAt" timestamp(3) NOT NULL DEFAULT now());
CREATE TABLE "Price" (id serial PRIMARY KEY, "productId" text NOT NULL REFERENCES "Product", day date NOT NULL, amount double precision NOT NULL, source text NOT NULL);
CREATE UNIQUE INDEX ON "Price" ("productId", day);
CREATE TABLE "Label" (id text PRIMARY KEY, name text NOT NULL);
CREATE TABLE "Purchase" (id text PRIMARY KEY, "customerId" text NOT NULL REFERENCES "Customer", "addressId" text REFERENCES "Address", "productId" text NOT NULL REFERENCES "Product", "boughtAt" timestamp(3) NOT NULL, state text NOT NULL, quantity integer NOT NULL, "unitPrice" double precision NOT NULL, shipping double precision NOT NULL, currency text NOT NULL, note text, "isGift" boolean NOT NULL DEFAULT false, "createdAt" timestamp(3) NOT NULL DEFAULT now(), "updatedAt" timestamp(3) NOT NULL DEFAULT now());
CREATE INDEX ON "Purchase" ("customerId", "boughtAt");
CREATE TABLE "_LabelToPurchase" ("A" text NOT NULL REFERENCES "Label", "B" text NOT NULL REFERENCES "Purchase", PRIMARY KEY ("A", "B"));
CREATE INDEX ON "_LabelToPurchase" ("B");

INSERT INTO "Country" SELECT 'C' || i, 'Country ' || i, 'CUR' FROM generate_series(1, 40) i;
INSERT INTO "Label" SELECT 'label-' || i, 'Label ' || i FROM generate_series(1, 8) i;
INSERT INTO "Product" (id, sku, name, maker, category, currency, attributes, images, url)
  SELECT md5('product' || i)::uuid, 'SKU-' || i, 'Product number ' || i, CASE WHEN i % 4 > 0 THEN 'Maker ' || i % 7 END, 'category ' || i % 5, 'CUR',
    jsonb_build_object('size', i, 'colours', jsonb_build_array('red', 'green'), 'box', jsonb_build_object('w', i, 'h', 3.5)),
    jsonb_build_array(jsonb_build_object('url', 'https://example.com/' || i || '.webp', 'width', 640)), 'https://example.com/products/' || i
  FROM generate_series(1, 40) i;
-- The first product has a history of 2,000 days, the others 90.
INSERT INTO "Price" ("productId", day, amount, source)
  SELECT p.id, date '2020-01-01' + d, 10 + (d % 97) * 0.31, 'feed'
  FROM "Product" p, LATERAL generate_series(1, CASE WHEN p.sku = 'SKU-1' THEN 2000 ELSE 90 END) d;
CREATE TEMPORARY TABLE sizes AS SELECT n, n || '-' || k AS own FROM unnest(ARRAY[50, 500, 2000]) n, generate_series(0, 7) k;
INSERT INTO "Customer" (id, email, name, settings)
  SELECT 'c' || own, 'c' || own || '@example.com', 'Customer ' || own, jsonb_build_object('locale', 'en', 'theme', 'dark', 'columns', jsonb_build_array('date', 'product', 'sum')) FROM sizes;
INSERT INTO "Address" (id, "customerId", name, street, city, "countryCode", "isDefault")
  SELECT 'a' || own || '-' || i, 'c' || own, CASE WHEN i > 1 THEN 'Address ' || i END, i || ' Some Street', 'City', 'C' || i, i = 1 FROM sizes, generate_series(1, 3) i;
INSERT INTO "Purchase" (id, "customerId", "addressId", "productId", "boughtAt", state, quantity, "unitPrice", shipping, currency, note)
  SELECT md5('purchase' || own || '-' || i)::uuid, 'c' || own, CASE WHEN i % 10 > 0 THEN 'a' || own || '-' || 1 + i % 3 END, md5('product' || 1 + i % 40)::uuid,
    timestamp '2020-01-01' + i * interval '1 day', CASE WHEN i % 3 = 0 THEN 'sent' ELSE 'paid' END, 1 + i % 20, 10 + i * 0.37, i % 7 + 0.5, 'CUR', CASE WHEN i % 5 = 0 THEN 'note ' || i END
  FROM sizes, LATERAL generate_series(1, n) i;
INSERT INTO "_LabelToPurchase" SELECT 'label-' || 1 + length(note) % 8, id FROM "Purchase" WHERE note IS NOT NULL
  UNION SELECT 'label-' || 1 + quantity % 8, id FROM "Purchase" WHERE quantity % 2 = 0;
ANALYZE;
