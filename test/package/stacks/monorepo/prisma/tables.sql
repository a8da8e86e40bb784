CREATE TABLE "Product" (
  "id" serial PRIMARY KEY,
  "slug" text NOT NULL UNIQUE,
  "name" text NOT NULL,
  "price" decimal(10, 2) NOT NULL,
  "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
INSERT INTO "Product" ("slug", "name", "price", "createdAt") VALUES
  ('tea', 'Tea', 4.50, '2026-03-01 09:30:00'),
  ('mate', 'Mate', 3.00, '2026-03-02 09:30:00');
