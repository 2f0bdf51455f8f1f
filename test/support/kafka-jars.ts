import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The newest of Kafka whose jars are all on Maven Central. */
export const KAFKA_VERSION = "4.3.1";
const SLF4J_VERSION = "1.7.36";
const JAVA_OLDEST = 17;
const CACHE = new URL("../../node_modules/.cache/", import.meta.url).pathname;
const DOWNLOAD_MAX_MS = 240_000;

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>test</groupId><artifactId>kafka-jars</artifactId><version>1</version><dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${KAFKA_VERSION}</version></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>${SLF4J_VERSION}</version></dependency>
</dependencies></project>`;

/** Whether Java is there and new enough; else what is wrong. */
const javaTrouble = async (): Promise<string | null> => {
  try {
    const { stderr } = await run("java", ["-version"]);
    const major = Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
    return major >= JAVA_OLDEST ? null : `Java ${major} is too old`;
  } catch {
    return "there is no java";
  }
};

const jarsIn = async (directory: string): Promise<boolean> => {
  const files: string[] = await readdir(directory).catch(() => []);
  return files.includes(`kafka_2.13-${KAFKA_VERSION}.jar`);
};

/** Into a directory of its own first: two test files may ask at once. */
const download = async (directory: string): Promise<void> => {
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(join(CACHE, "kafka-download-"));
  try {
    await writeFile(join(work, "pom.xml"), POM);
    const goal = ["-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime"];
    await run("mvn", [...goal, "-DoutputDirectory=jars"], { cwd: work, timeout: DOWNLOAD_MAX_MS });
    await rename(join(work, "jars"), directory).catch(async (error: unknown) => {
      if (!(await jarsIn(directory))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
};

/** The class path of a Kafka broker, downloaded once; or why there is none. */
export const kafkaJars = async (): Promise<{ readonly classPath: string } | { readonly missing: string }> => {
  const trouble = await javaTrouble();
  if (trouble !== null) return { missing: `${trouble} (apt-get install openjdk-17-jre-headless)` };
  const directory = join(CACHE, `kafka-${KAFKA_VERSION}`);
  if (!(await jarsIn(directory))) {
    try {
      await download(directory);
    } catch (error) {
      const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
      return { missing: `Kafka's jars cannot be had: ${reason} (apt-get install maven)` };
    }
  }
  return { classPath: `${directory}/*` };
};
