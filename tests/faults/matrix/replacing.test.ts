import { holdMatrix } from "../support/matrix";
import { replacing } from "../support/subjects";

holdMatrix("replacing", replacing);
