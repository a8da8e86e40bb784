-- The tables of schema.prisma. Prisma's engine, which would make them, is a download.
CREATE EXTENSION IF NOT EXISTS citext;
CREATE SCHEMA archive;
CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TYPE moods AS ENUM ('CALM', 'wild one', ' grey');
CREATE TABLE public."people" (
  "id" UUID NOT NULL PRIMARY KEY,
  "email" CITEXT NOT NULL UNIQUE,
  "full_name" TEXT NOT NULL,
  "nick name" TEXT,
  "secret" TEXT NOT NULL DEFAULT 'hidden',
  "mood" moods NOT NULL,
  "moods" moods[],
  "born" DATE,
  "boss_id" UUID REFERENCES public."people" ("id") ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE TABLE public."Article" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "title" TEXT NOT NULL,
  "rank" INTEGER,
  "is_public" BOOLEAN NOT NULL,
  "created" TIMESTAMP(3) NOT NULL,
  "authorId" UUID REFERENCES public."people" ("id") ON DELETE SET NULL ON UPDATE CASCADE,
  UNIQUE ("authorId", "title")
);
CREATE TABLE public."Topic" (id INTEGER PRIMARY KEY, word TEXT NOT NULL);

CREATE TABLE public."Tag" (
  "name" CITEXT NOT NULL PRIMARY KEY,
  "colour" CHAR(6) NOT NULL
);
CREATE TABLE public."Review" (
  "articleId" INTEGER NOT NULL REFERENCES public."Article" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "person_id" UUID NOT NULL REFERENCES public."people" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "score" DOUBLE PRECISION NOT NULL,
  "note" TEXT,
  PRIMARY KEY ("articleId", "person_id")
);
CREATE TABLE public."Pass" (
  "number" BIGINT NOT NULL PRIMARY KEY,
  "holderId" UUID UNIQUE REFERENCES public."people" ("id") ON DELETE SET NULL ON UPDATE CASCADE,
  "photo" BYTEA
);
CREATE TABLE archive."seats" (
  "hall" VARCHAR(10) NOT NULL,
  "row" BIGINT NOT NULL,
  "place" SMALLINT NOT NULL,
  "price" DECIMAL(20, 4) NOT NULL,
  "state" moods NOT NULL DEFAULT 'CALM',
  "label" TEXT UNIQUE,
  PRIMARY KEY ("hall", "row", "place")
);
CREATE TABLE archive."Word" (
  "text" TEXT NOT NULL,
  "mood" moods NOT NULL,
  "n" INTEGER NOT NULL,
  "gloss" JSONB,
  PRIMARY KEY ("text", "mood"),
  UNIQUE ("mood", "n")
);
CREATE TABLE public."Code" (
  "code" CHAR(4) NOT NULL PRIMARY KEY,
  "value" TEXT NOT NULL
);
CREATE TABLE public."Everything" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "text" TEXT NOT NULL,
  "varchar" VARCHAR(20) NOT NULL,
  "char" CHAR(5) NOT NULL,
  "uuid" UUID NOT NULL,
  "citext" CITEXT NOT NULL,
  "inet" INET NOT NULL,
  "xml" XML NOT NULL,
  "bit" BIT(5) NOT NULL,
  "varbit" VARBIT(9) NOT NULL,
  "bool" BOOLEAN NOT NULL,
  "int" INTEGER NOT NULL,
  "smallint" SMALLINT NOT NULL,
  "oid" OID NOT NULL,
  "bigint" BIGINT NOT NULL,
  "float" DOUBLE PRECISION NOT NULL,
  "real" REAL NOT NULL,
  "numeric" DECIMAL(65,30) NOT NULL,
  "decimal" DECIMAL(12, 3) NOT NULL,
  "money" MONEY NOT NULL,
  "stamp" TIMESTAMP(3) NOT NULL,
  "stamp0" TIMESTAMP(0) NOT NULL,
  "stamp6" TIMESTAMP(6) NOT NULL,
  "stamptz" TIMESTAMPTZ(3) NOT NULL,
  "stamptz6" TIMESTAMPTZ(6) NOT NULL,
  "date" DATE NOT NULL,
  "time" TIME(3) NOT NULL,
  "time6" TIME(6) NOT NULL,
  "timetz" TIMETZ(3) NOT NULL,
  "jsonb" JSONB NOT NULL,
  "json" JSON NOT NULL,
  "bytes" BYTEA NOT NULL,
  "mood" moods NOT NULL
);
CREATE TABLE archive."may be" (
  "id" BIGINT NOT NULL PRIMARY KEY,
  "text" TEXT,
  "char" CHAR(5),
  "uuid" UUID,
  "inet" INET,
  "xml" XML,
  "bit" BIT(5),
  "bool" BOOLEAN,
  "int" INTEGER,
  "oid" OID,
  "bigint" BIGINT,
  "float" DOUBLE PRECISION,
  "real" REAL,
  "numeric" DECIMAL(65,30),
  "money" MONEY,
  "stamp6" TIMESTAMP(6),
  "stamptz" TIMESTAMPTZ(3),
  "date" DATE,
  "time" TIME(3),
  "timetz" TIMETZ(3),
  "jsonb" JSONB,
  "json" JSON,
  "bytes" BYTEA,
  "mood" moods,
  "stamp" TIMESTAMP(3)
);
CREATE TABLE public."Lists" (
  "id" TEXT NOT NULL PRIMARY KEY,
  "text" TEXT[],
  "char" CHAR(5)[],
  "uuid" UUID[],
  "inet" INET[],
  "xml" XML[],
  "bit" BIT(5)[],
  "bool" BOOLEAN[],
  "int" INTEGER[],
  "smallint" SMALLINT[],
  "oid" OID[],
  "bigint" BIGINT[],
  "float" DOUBLE PRECISION[],
  "real" REAL[],
  "numeric" DECIMAL(65,30)[],
  "money" MONEY[],
  "stamp" TIMESTAMP(3)[],
  "stamp6" TIMESTAMP(6)[],
  "stamptz" TIMESTAMPTZ(3)[],
  "date" DATE[],
  "time" TIME(3)[],
  "jsonb" JSONB[],
  "json" JSON[],
  "bytes" BYTEA[],
  "mood" moods[]
);
CREATE TABLE public."Team" (
  "name" CITEXT NOT NULL PRIMARY KEY,
  "n" INTEGER NOT NULL
);
CREATE TABLE public."Rate" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "value" DECIMAL NOT NULL UNIQUE
);
CREATE TABLE public."Fan" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "teamName" CITEXT REFERENCES public."Team" ("name") ON DELETE SET NULL ON UPDATE CASCADE,
  "paid" DECIMAL REFERENCES public."Rate" ("value") ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE TABLE public."Name" (
  "id" TEXT COLLATE ci NOT NULL PRIMARY KEY,
  "nick" TEXT COLLATE ci,
  "n" INTEGER NOT NULL
);
CREATE TABLE public."Unreadable" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "title" TEXT NOT NULL,
  "words" CITEXT[]
);
CREATE TABLE public."Refused" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "title" TEXT NOT NULL,
  "times" TIMETZ(3)[]
);
CREATE TABLE public."Uncached" (
  "id" INTEGER NOT NULL PRIMARY KEY,
  "title" TEXT NOT NULL
);
CREATE TABLE "_PersonToTag" (
  "A" UUID NOT NULL REFERENCES people (id) ON DELETE CASCADE ON UPDATE CASCADE,
  "B" CITEXT NOT NULL REFERENCES "Tag" (name) ON DELETE CASCADE ON UPDATE CASCADE,
  PRIMARY KEY ("A", "B")
);
CREATE TABLE "_ArticleToTag" (
  "A" INTEGER NOT NULL REFERENCES "Article" (id) ON DELETE CASCADE ON UPDATE CASCADE,
  "B" CITEXT NOT NULL REFERENCES "Tag" (name) ON DELETE CASCADE ON UPDATE CASCADE,
  PRIMARY KEY ("A", "B")
);
CREATE TABLE "_ArticleToTopic" (
  "A" INTEGER NOT NULL REFERENCES "Article" (id) ON DELETE CASCADE ON UPDATE CASCADE,
  "B" INTEGER NOT NULL REFERENCES "Topic" (id) ON DELETE CASCADE ON UPDATE CASCADE,
  PRIMARY KEY ("A", "B")
);
CREATE VIEW public."topic words" AS SELECT id AS number, word AS text FROM public."Topic";
CREATE VIEW public."Verdict" AS SELECT a."id", a."title", count(r."articleId") AS reviews
  FROM public."Article" a LEFT JOIN public."Review" r ON r."articleId" = a."id" GROUP BY a."id", a."title";
