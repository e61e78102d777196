-- The list of one product's cases.
CREATE INDEX review_case_product_age ON review_case (product, state, opened_at, case_number);
CREATE INDEX review_case_product_amount ON review_case (product, state, amount_order, case_number);
CREATE INDEX review_case_product_score ON review_case (product, state, score_permille, case_number);
