-- What `prisma migrate` makes of the schema, and rows.
CREATE TYPE tier AS ENUM ('standard', 'gold tier');
CREATE TYPE unit AS ENUM ('PIECE', 'kg');

CREATE TABLE customers (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  email varchar(80) NOT NULL UNIQUE,
  password_hash text NOT NULL,
  tier tier NOT NULL DEFAULT 'standard',
  tiers tier[],
  tags text[],
  born date,
  avatar bytea,
  settings jsonb NOT NULL,
  notes jsonb
);

CREATE TABLE products (
  id serial PRIMARY KEY,
  sku char(8) NOT NULL UNIQUE,
  price numeric(10, 2) NOT NULL,
  old_prices numeric(10, 2)[],
  weight double precision,
  ratio real NOT NULL,
  stock bigint NOT NULL,
  unit unit NOT NULL,
  is_organic boolean NOT NULL,
  images jsonb[],
  thumbnails bytea[],
  available_at timestamptz(6) NOT NULL,
  opens_at time(0) NOT NULL
);

CREATE TABLE orders (
  id bigint PRIMARY KEY,
  customer_id uuid NOT NULL REFERENCES customers ON DELETE CASCADE,
  placed_at timestamp(3) NOT NULL DEFAULT now(),
  note text
);

CREATE TABLE order_lines (
  order_id bigint NOT NULL REFERENCES orders ON DELETE CASCADE,
  position smallint NOT NULL,
  product_id int NOT NULL REFERENCES products,
  quantity numeric NOT NULL,
  PRIMARY KEY (order_id, position)
);

INSERT INTO customers VALUES
  ('7f1c9e52-8f0a-4c57-9d0e-0d5d1f6a2b11', 'ada@example.org', 'scrypt$1', 'gold tier', '{standard,"gold tier"}',
   '{vip,"with, comma",naïve ☕}', '1990-02-28', '\x00ff10', '{"theme": "dark", "sizes": [1, 2.5, null], "a": {"10": 1}}', NULL),
  ('0c0e5b7e-26c3-4a5f-8a53-5f2c8c2f9d22', 'bob@example.org', 'scrypt$2', 'standard', '{}', '{}', NULL, NULL, 'null', '"text"');

INSERT INTO products VALUES
  (1, 'TEA-0001', 4.50, '{5.00,4.99}', 0.25, 0.1, 9007199254740993, 'PIECE', true,
   array['{"url": "a.png", "width": 640}', '{"url": "b.png"}']::jsonb[], '{"\\x0102","\\xff"}',
   '2026-03-01 09:30:00.123456+02', '08:15:00'),
  (2, 'MATE-002', 120.00, '{}', NULL, 1e10, -1, 'kg', false, '{}', '{}', '1969-12-31 23:59:59.999+00', '23:59:59'),
  (3, 'SALT', 0.99, '{1.00}', 1e-7, 3.5, 0, 'kg', false, '{}', '{}', '2026-11-22 00:00:00+00', '00:00:00');
SELECT setval('products_id_seq', 3);

INSERT INTO orders VALUES
  (9007199254740993, '7f1c9e52-8f0a-4c57-9d0e-0d5d1f6a2b11', '2026-11-20 10:00:00.5', 'Leave it at the door'),
  (2, '0c0e5b7e-26c3-4a5f-8a53-5f2c8c2f9d22', '2026-11-21 10:00:00', NULL);

INSERT INTO order_lines VALUES
  (9007199254740993, 1, 1, 2), (9007199254740993, 2, 3, 0.125), (2, 1, 2, 10.50);
