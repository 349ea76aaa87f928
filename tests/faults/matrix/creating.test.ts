import { holdMatrix } from "../support/matrix";
import { creating } from "../support/subjects";

holdMatrix("creating", creating);
