CREATE TABLE "Team" (
  id serial PRIMARY KEY,
  name text NOT NULL,
  deleted boolean NOT NULL DEFAULT false
);

CREATE TABLE "Player" (
  id serial PRIMARY KEY,
  email text NOT NULL UNIQUE,
  name text NOT NULL,
  rank integer NOT NULL DEFAULT 0,
  deleted boolean NOT NULL DEFAULT false,
  "teamId" integer REFERENCES "Team" (id) ON DELETE SET NULL ON UPDATE CASCADE
);

CREATE TABLE "Goal" (
  id serial PRIMARY KEY,
  minute integer NOT NULL,
  "playerId" integer NOT NULL REFERENCES "Player" (id) ON DELETE CASCADE ON UPDATE CASCADE
);
